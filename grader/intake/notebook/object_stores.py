"""Assignments to a notebook's names, attributes and entries, written as assignments to plain variables."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import TypeGuard

from grader.intake.notebook.object_calls import RESULT_NAME, CallReader
from grader.intake.notebook.object_values import (
    LIST_KINDS,
    NONE_VALUE,
    Constant,
    Key,
    NameScope,
    NotPlain,
    OpenFunction,
    Record,
    Value,
    Variable,
    remade,
)
from grader.source.syntax import all_nodes

MAX_WRITTEN_STATEMENTS = 5_000  # statements
PlainStatement = tuple[str, ast.stmt]
"""A statement and the file that it comes from"""


class StoreWriter(CallReader):
    """Writes statements without objects.

    Attributes:
        out: the statements that are written.
        parts: {variable: the record and the key that it is}.
        locals: {variable: the name in the function, the number of the call}.
        functions: {number of a call: the function's name}.
        globals: the notebook's own names, with those values that are not plain.
    """

    def __init__(self, bodies: Iterable[tuple[str, Sequence[ast.stmt]]], gradients: Collection[str] = ()) -> None:
        super().__init__(gradients)
        self.bodies = [(file, list(body)) for file, body in bodies]
        self.out: list[PlainStatement] = []
        self.parts: dict[str, tuple[Record, Key]] = {}
        self.locals: dict[str, tuple[str, int]] = {}
        self.globals: dict[str, Value] = {}
        self.versions = self.numbered = 0
        nodes = [(file, node) for file, body in self.bodies for each in body for node in all_nodes(each)]
        self.files = {id(node): file for file, node in nodes if isinstance(node, ast.stmt)}
        stored = (node for _, node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        self.counts = Counter(node.id for node in stored)

    def add(self, node: ast.stmt) -> None:
        """Writes a statement, in the place of the one that is read."""
        assert self.line is not None
        for each in all_nodes(node):
            if isinstance(each, ast.expr | ast.stmt | ast.keyword) and not hasattr(each, "lineno"):
                ast.copy_location(each, self.line)
        self.out.append((self.files[id(self.line)], node))
        if len(self.out) > MAX_WRITTEN_STATEMENTS:
            raise NotPlain("too many statements")

    def assign(self, name: str, value: ast.expr) -> None:
        self.add(ast.Assign([ast.Name(name, ast.Store())], value))

    def store(self, target: ast.expr, value: Value, scope: NameScope) -> None:
        entries = value.entries if isinstance(value, Record) and value.kind in LIST_KINDS else []
        kinds = {Record if isinstance(each, Record) else isinstance(each, ast.expr) for each in entries}
        is_code = True in kinds and Record not in kinds
        if isinstance(target, ast.Tuple | ast.List) and len(entries) == len(target.elts) and not is_code:
            for each, entry in zip(target.elts, entries, strict=True):
                self.store(each, entry, scope)
        elif isinstance(target, ast.Name):
            self.store_name(target.id, value, scope)
        elif isinstance(target, ast.Attribute | ast.Subscript) and isinstance(
            base := self.value(target.value, scope), Record
        ):
            self.set_part(base, self.key_of(base, target, scope), value)
        else:
            code = self.express(value)
            self.add(ast.Assign([self.target(target, scope)], code))

    def key_of(self, base: Record, target: ast.Attribute | ast.Subscript, scope: NameScope) -> Key:
        return target.attr if isinstance(target, ast.Attribute) else self.key(base, target.slice, scope)

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
            holder.values[node.id] = own = self.new_variable(node.id, holder)
            return ast.Name(own.name, ast.Store())
        if isinstance(node, ast.Tuple | ast.List):
            return remade(node, elts=[self.target(each, scope) for each in node.elts])
        if isinstance(node, ast.Attribute | ast.Subscript):
            base = self.value(node.value, scope)
            if isinstance(base, Record):
                key = self.key_of(base, node, scope)
                base.fields[key] = part = Variable(self.part_name(base, key))
                return ast.Name(part.name, ast.Store())
            changed = self.with_base(node, base)
            return remade(changed, slice=self.code(node.slice, scope)) if isinstance(node, ast.Subscript) else changed
        raise NotPlain("a target")

    def new_variable(self, name: str, holder: NameScope) -> Variable:
        self.versions += 1
        own = Variable(f"@{holder.call}:{name}:{self.versions}")
        self.locals[own.name] = name, holder.call
        return own

    def bind(self, name: str, value: ast.expr, scope: NameScope, constant: object = None) -> Variable:
        own = self.new_variable(name, scope)
        own.constant = constant
        self.assign(own.name, value)
        return own

    def store_name(self, name: str, value: Value, scope: NameScope) -> None:
        holder = scope.holder(name)
        if isinstance(value, Record):
            value.belongs(None, name)
        if holder.outer is not None:
            if self.in_place != holder.level and not isinstance(value, Record | OpenFunction):
                code = self.express(value)
                self.add(ast.Assign([self.target(ast.Name(name, ast.Store()), scope)], code))
                return
            holder.values[name] = self.keep_in_variable(value, name, holder)
            if is_whole(value) or (isinstance(value, Variable) and name in self.gradients):
                holder.values[name] = self.bind(
                    name, self.express(value), holder, value.value if is_whole(value) else None
                )
            elif isinstance(value, Variable) and self.locals.get(value.name, ("", 0))[0] == RESULT_NAME:
                self.locals[value.name] = name, self.locals[value.name][1]  # called as the caller calls it
        elif isinstance(value, Record | OpenFunction):
            holder.values[name] = self.keep_in_variable(value, name, holder)
            if isinstance(value, Record) and not value.has_objects and value.variable is None:
                self.assign(name, self.express(value))
                value.variable = name
        else:
            self.assign(name, self.express(value))
            holder.values.pop(name, None)
            if isinstance(value, Constant) and self.counts[name] == 1 and not self.in_place:
                holder.values[name] = Variable(name, value.value)

    def part_name(self, record: Record, key: Key) -> str:
        if not record.number:
            self.numbered += 1
            record.number = self.numbered
        name = f"@{record.number}.{key}"
        self.parts[name] = record, key
        record.variable = None
        return name

    def set_part(self, record: Record, key: Key, value: Value) -> None:
        record.variable = None
        if isinstance(value, Record):
            value.belongs(record, key)
            self.keep_parts(value)
        if isinstance(value, Record | OpenFunction) or (isinstance(value, Constant) and not is_whole(value)):
            record.fields[key] = value
        elif isinstance(value, ast.Constant) and value.value is ...:
            record.fields[key] = NONE_VALUE
        else:
            name = self.part_name(record, key)
            is_first = key not in record.fields and not self.in_place
            self.assign(name, self.express(value))
            record.fields[key] = Variable(name, value.value if isinstance(value, Constant) and is_first else None)

    def change(self, node: ast.AugAssign, scope: NameScope) -> None:
        """`self.dlogits += ...`"""
        value = self.value(node.value, scope)
        before = self.value(as_expression(node.target), scope)
        if isinstance(before, Record):
            method = {"list": "extend", "dict": "update"}.get(before.kind, "")
            if self.of_container(before, method, ([value], {})) is None:
                raise NotPlain("a change of an object")
            return
        if isinstance(before, Constant):
            if isinstance(node.target, ast.Name) or self.in_place:
                raise NotPlain("a change of a constant")
            self.store(node.target, ast.BinOp(self.express(before), node.op, self.express(value)), scope)
            return
        target: ast.expr = node.target
        if isinstance(before, Variable):
            before.constant = None
            target = ast.Name(before.name, ast.Store())
        elif not isinstance(target, ast.Name):
            target = self.target(target, scope)
        self.add(remade(node, target=target, value=self.express(value)))


def as_expression(target: ast.expr) -> ast.expr:
    """The target of an assignment as an expression that reads it."""
    return remade(target, ctx=ast.Load())


def is_whole(value: Value) -> TypeGuard[Constant]:
    """Whether it is a whole number, which keeps its name in the code: it may be a size."""
    return isinstance(value, Constant) and isinstance(value.value, int) and not isinstance(value.value, bool)


def is_own(value: Value, name: str, scope: NameScope) -> bool:
    """Whether it is the variable of this name in this call of a function."""
    return isinstance(value, Variable) and value.name.startswith(f"@{scope.call}:{name}:")
