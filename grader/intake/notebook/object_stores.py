"""Assignments to a notebook's names, attributes and entries, written as assignments to plain variables."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterable, Sequence

from grader.intake.notebook.object_calls import RESULT, CallReader
from grader.intake.notebook.object_values import (
    LIST_KINDS,
    NOTHING,
    Constant,
    NameScope,
    NotPlain,
    OpenFunction,
    Record,
    Value,
    Variable,
    entries_of,
    same_keys,
)
from grader.source.syntax import all_nodes

MOST_WRITTEN = 5_000  # statements
PlainStatement = tuple[str, ast.stmt]
"""A statement and the file that it comes from"""


class StoreWriter(CallReader):
    """Writes statements without objects.

    Attributes:
        out: the statements that are written.
        parts: {variable: the record and the key that it is}.
        locals: {variable: the name in the function, the number of the call}.
        functions: {number of a call: the function's name}.
    """

    def __init__(self, bodies: Iterable[tuple[str, Sequence[ast.stmt]]]) -> None:
        super().__init__()
        self.bodies = [(file, list(body)) for file, body in bodies]
        self.out: list[PlainStatement] = []
        self.parts: dict[str, tuple[Record, str | int | None]] = {}
        self.locals: dict[str, tuple[str, int]] = {}
        self.functions: dict[int, str] = {}
        self.globals: dict[str, Value] = {}
        self.numbers: dict[int, int] = {}  # {id of a record: its number}
        self.kept_records: list[Record] = []  # ids name them
        self.versions = 0
        self.versioned: set[str] | None = None  # the notebook's variables that a loop written out assigns
        self.versioned_at = 0
        self.line: ast.stmt | None = None
        self.counts = Counter(
            node.id
            for _, body in self.bodies
            for each in body
            for node in all_nodes(each)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )

    def add(self, node: ast.stmt) -> None:
        if self.line is not None:
            for each in all_nodes(node):
                if isinstance(each, ast.expr | ast.stmt | ast.keyword) and not hasattr(each, "lineno"):
                    ast.copy_location(each, self.line)
        self.out.append((self.file, node))
        if len(self.out) > MOST_WRITTEN:
            raise NotPlain("too many statements")

    def note_call(self, number: int, node: ast.FunctionDef) -> None:
        self.functions[number] = node.name

    def bind(self, name: str, value: ast.expr, scope: NameScope) -> Variable:
        self.versions += 1
        own = f"@{scope.call}:{name}:{self.versions}"
        self.locals[own] = name, scope.call
        self.add(ast.Assign([ast.Name(own, ast.Store())], value))
        return Variable(own)

    def store(self, target: ast.expr, value: Value, node: ast.stmt, scope: NameScope) -> None:
        self.line = node
        if isinstance(target, ast.Tuple | ast.List):
            self.store_several(target, value, node, scope)
            return
        if isinstance(target, ast.Name):
            self.store_name(target.id, value, scope)
            return
        if isinstance(target, ast.Attribute | ast.Subscript):
            base = self.value(target.value, scope)
            if isinstance(base, Record):
                if isinstance(target, ast.Attribute):
                    self.set_part(base, target.attr, value)
                    return
                if isinstance(target.slice, ast.Slice):
                    raise NotPlain("a slice of a list")
                self.set_part(base, self.key(base, target.slice, scope), value)
                return
        self.add(ast.copy_location(ast.Assign([self.target(target, scope)], self.express(value)), node))

    def store_several(self, target: ast.Tuple | ast.List, value: Value, node: ast.stmt, scope: NameScope) -> None:
        parts = value.entries if isinstance(value, Record) and value.kind in LIST_KINDS else []
        is_code = any(isinstance(each, ast.expr) for each in parts) and not any(isinstance(e, Record) for e in parts)
        if isinstance(value, Record) and len(parts) == len(target.elts) and not is_code:
            for each, entry in zip(target.elts, value.entries, strict=True):
                self.store(each, entry, node, scope)
            return
        new = copy.copy(target)
        code = self.express(value)
        new.elts = [self.target(each, scope) for each in target.elts]
        self.add(ast.copy_location(ast.Assign([new], code), node))

    def target(self, node: ast.expr, scope: NameScope) -> ast.expr:
        """A target of an assignment as code, of a value that the text does not decide."""
        if isinstance(node, ast.Name):
            holder = scope.holder(node.id)
            if holder.outer is None:
                holder.values.pop(node.id, None)
                return node
            before = holder.values.get(node.id)
            if isinstance(before, Variable) and self.in_place > holder.level and is_own(before, node.id, holder):
                return ast.Name(before.name, ast.Store())
            self.versions += 1
            own = f"@{holder.call}:{node.id}:{self.versions}"
            self.locals[own] = node.id, holder.call
            holder.values[node.id] = Variable(own)
            return ast.Name(own, ast.Store())
        if isinstance(node, ast.Tuple | ast.List):
            new = copy.copy(node)
            new.elts = [self.target(each, scope) for each in node.elts]
            return new
        if isinstance(node, ast.Attribute | ast.Subscript):
            base = self.value(node.value, scope)
            if isinstance(base, Record):
                key = node.attr if isinstance(node, ast.Attribute) else self.key(base, node.slice, scope)
                name = self.part_name(base, key)
                base.fields[key] = Variable(name)
                return ast.Name(name, ast.Store())
            changed = copy.copy(node)
            changed.value = self.express(base)
            if isinstance(changed, ast.Subscript) and isinstance(node, ast.Subscript):
                changed.slice = self.code(node.slice, scope)
            return changed
        raise NotPlain("a target")

    def store_name(self, name: str, value: Value, scope: NameScope) -> None:
        holder = scope.holder(name)
        if isinstance(value, Record):
            value.belongs(None, name)
        if holder.outer is not None:
            if self.in_place == holder.level or isinstance(value, Record | OpenFunction):
                holder.values[name] = self.kept(value, name, holder)
                self.name_result(value, name)
            else:
                code = self.express(value)
                self.add(ast.Assign([self.target(ast.Name(name, ast.Store()), scope)], code))
            return
        if isinstance(value, Record):
            if value.kind in (*LIST_KINDS, "dict") and not value.has_objects and value.variable is None:
                self.keep_parts(value)
                self.add(ast.Assign([ast.Name(name, ast.Store())], self.express(value)))
                value.variable = name
            self.keep_parts(value)
            holder.values[name] = value
        elif isinstance(value, OpenFunction):
            holder.values[name] = value
        elif self.versioned is not None and self.in_place == self.versioned_at and not isinstance(value, Constant):
            holder.values[name] = self.bind(name, self.express(value), holder)
            self.versioned.add(name)
        else:
            self.add(ast.Assign([ast.Name(name, ast.Store())], self.express(value)))
            holder.values.pop(name, None)
            if isinstance(value, Constant) and self.counts[name] == 1 and not self.in_place:
                holder.values[name] = Variable(name, value.value)

    def name_result(self, value: Value, name: str) -> None:
        """Calls what a function returned by the name under which the caller keeps it."""
        own, call = self.locals.get(value.name, ("", 0)) if isinstance(value, Variable) else ("", 0)
        if isinstance(value, Variable) and own == RESULT:
            self.locals[value.name] = name, call

    def set_name(self, name: str, value: Value, scope: NameScope) -> None:
        scope.holder(name).values[name] = value

    def part_name(self, record: Record, key: str | int | None) -> str:
        if id(record) not in self.numbers:
            self.numbers[id(record)] = len(self.numbers) + 1
            self.kept_records.append(record)
        name = f"@{self.numbers[id(record)]}.{key}"
        self.parts[name] = record, key
        record.variable = None
        return name

    def set_part(self, record: Record, key: str | int | None, value: Value) -> None:
        if isinstance(value, Record):
            value.belongs(record, key)
            self.keep_parts(value)
            record.fields[key] = value
            record.variable = None
            return
        if isinstance(value, OpenFunction) or (isinstance(value, Constant) and not is_whole_number(value.value)):
            record.fields[key] = value
            record.variable = None
            return
        if isinstance(value, ast.Constant) and value.value is ...:
            record.fields[key] = NOTHING
            return
        name = self.part_name(record, key)
        first = key not in record.fields
        self.add(ast.Assign([ast.Name(name, ast.Store())], self.express(value)))
        constant = value.value if isinstance(value, Constant) and first and not self.in_place else None
        record.fields[key] = Variable(name, constant)

    def change(self, node: ast.AugAssign, scope: NameScope) -> None:
        """`self.dlogits += ...`"""
        value = self.value(node.value, scope)
        self.line = node
        read = as_expression(node.target)
        before = (
            self.value(read, scope) if not isinstance(node.target, ast.Name) or scope.value(node.target.id) else None
        )
        if isinstance(before, Record):
            if before.kind == "dict" and isinstance(node.op, ast.BitOr):
                for key, entry in same_keys(value).fields.items():
                    self.set_part(before, key, entry)
                return
            if before.kind != "list":
                raise NotPlain("a change of an object")
            for each in entries_of(value):
                self.set_part(before, len(before.entries), each)
            return
        if isinstance(before, Constant):
            if isinstance(node.target, ast.Name) or self.in_place:
                raise NotPlain("a change of a constant")
            changed_value = ast.BinOp(self.express(before), node.op, self.express(value))
            self.store(node.target, changed_value, node, scope)
            return
        target = node.target
        if isinstance(before, Variable):
            target = ast.Name(before.name, ast.Store())
            self.forget_constant(node.target, before, scope)
        elif before is not None and not isinstance(node.target, ast.Name):
            changed = self.target(node.target, scope)
            assert isinstance(changed, ast.Name | ast.Attribute | ast.Subscript)
            target = changed
        self.add(ast.copy_location(ast.AugAssign(target, node.op, self.express(value)), node))

    def forget_constant(self, target: ast.expr, before: Variable, scope: NameScope) -> None:
        if before.constant is None:
            return
        if isinstance(target, ast.Name):
            self.set_name(target.id, Variable(before.name), scope)
        elif before.name in self.parts:
            record, key = self.parts[before.name]
            record.fields[key] = Variable(before.name)


def as_expression(target: ast.expr) -> ast.expr:
    """The target of an assignment as an expression that reads it."""
    new = copy.copy(target)
    if isinstance(new, ast.Name | ast.Attribute | ast.Subscript | ast.Tuple | ast.List):
        new.ctx = ast.Load()
    return new


def is_own(value: Variable, name: str, scope: NameScope) -> bool:
    """Whether it is the variable of this name in this call of a function."""
    return value.name.startswith(f"@{scope.call}:{name}:")


def is_whole_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
