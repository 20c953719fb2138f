"""What the expressions of a notebook are, where its objects are known: parts of records, or code of plain variables."""

from __future__ import annotations

import ast
import copy
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.intake.notebook.object_values import (
    LIST_KINDS,
    Constant,
    NameScope,
    NotPlain,
    OpenFunction,
    Record,
    Value,
    Variable,
    constant_of,
    is_name,
    list_record,
    truth,
)
from grader.source.syntax import Comprehension, last_name

ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
LONGEST = 200  # characters, or the largest number, that is computed here
MOST_STEPS = 200_000
"""Expressions that are evaluated and written for a notebook, so that none takes longer than a second or two."""
NAMESPACES = frozenset({"SimpleNamespace", "Namespace", "Bunch", "EasyDict", "edict"})
PLAIN_BASES = frozenset({"object", "Module", "dict", "ABC", "NamedTuple", "TypedDict", "Generic"})


class PartReader:
    """Evaluates expressions as far as the text decides them. The code that is left contains plain variables only."""

    steps = 0

    def count(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise NotPlain("too much to evaluate")

    def value(self, node: ast.expr, scope: NameScope) -> Value:
        """Raises NotPlain."""
        self.count()
        match node:
            case ast.Constant(value=str() | int() | None):
                return Constant(node.value)
            case ast.Name():
                found = scope.value(node.id)
                return node if found is None else found
            case ast.Attribute():
                return self.part(self.value(node.value, scope), node)
            case ast.Subscript():
                return self.entry(node, scope)
            case ast.List() | ast.Tuple():
                return list_record(self.values_of(node.elts, scope), type(node).__name__.lower())
            case ast.Dict():
                return self.dictionary(node, scope)
            case ast.Call():
                return self.call(node, scope)
            case ast.JoinedStr():
                return self.text(node, scope)
            case ast.NamedExpr():
                raise NotPlain("an assignment in an expression")
            case ast.IfExp():
                known = truth(self.value(node.test, scope))
                if known is not None:
                    return self.value(node.body if known else node.orelse, scope)
            case ast.BinOp() | ast.UnaryOp() | ast.Compare():
                return self.operation(node, scope)
            case ast.ListComp() | ast.GeneratorExp() | ast.DictComp() | ast.SetComp():
                return self.comprehension(node, scope)
        rebuilt: ast.expr = self.rebuilt(node, scope)
        return rebuilt

    def read_property(self, function: OpenFunction) -> Value:
        raise NotImplementedError

    def express(self, value: Value) -> ast.expr:
        """The code for a value. Raises NotPlain."""
        self.count()
        match value:
            case Variable():
                return ast.Name(value.name, ast.Load())
            case Constant(value=range() as known):
                bounds: list[ast.expr] = [ast.Constant(each) for each in (known.start, known.stop, known.step)]
                return ast.Call(ast.Name("range", ast.Load()), bounds, [])
            case Constant():
                return ast.Constant(value.value)
            case Record() if value.variable is not None:
                return ast.Name(value.variable, ast.Load())
            case Record(kind="list"):
                return ast.List([self.express(each) for each in value.entries], ast.Load())
            case Record(kind="tuple"):
                return ast.Tuple([self.express(each) for each in value.entries], ast.Load())
            case Record(kind="dict"):
                keys: list[ast.expr | None] = [ast.Constant(key) for key in value.fields]
                return ast.Dict(keys, [self.express(each) for each in value.fields.values()])
            case OpenFunction(bound=None):
                return ast.Name(value.node.name, ast.Load())
            case ast.expr():
                return value
        raise NotPlain("an object has no expression")

    def code(self, node: ast.expr, scope: NameScope) -> ast.expr:
        return self.express(self.value(node, scope))

    def rebuilt(self, node: ast.AST, scope: NameScope) -> Any:
        """The node with each expression in it replaced by its code."""
        if isinstance(node, ast.Lambda):
            names = frozenset(each.arg for each in node.args.args)
            scope = NameScope({name: ast.Name(name, ast.Load()) for name in names}, scope, names, scope.call)
        new = copy.copy(node)
        for field, old in ast.iter_fields(node):
            if isinstance(old, ast.expr):
                setattr(new, field, self.code(old, scope))
            elif isinstance(old, list):
                setattr(new, field, [self.rebuilt_part(each, scope) for each in old])
            elif isinstance(old, ast.keyword | ast.Slice | ast.comprehension):
                setattr(new, field, self.rebuilt(old, scope))
        return new

    def rebuilt_part(self, node: Any, scope: NameScope) -> Any:
        if isinstance(node, ast.expr):
            return self.code(node, scope)
        return self.rebuilt(node, scope) if isinstance(node, ast.keyword) else node

    def part(self, base: Value, node: ast.Attribute) -> Value:
        if isinstance(base, Record):
            return self.attribute(base, node.attr)
        new = copy.copy(node)
        new.value = self.express(base)
        return new

    def attribute(self, record: Record, name: str) -> Value:
        if name == "__dict__":
            return record
        if name == "__class__" and record.made_from is not None:
            return record.made_from
        if name in record.fields:
            return record.fields[name]
        for each in self.classes(record):
            if name in each.fields:
                found = each.fields[name]
                if isinstance(found, OpenFunction) and record.kind == "object":
                    return self.method(found, record)
                return found
        if record.kind == "dict" and record.made_from is None and record.default is None:
            raise NotPlain("an attribute of a dictionary")
        raise NotPlain(f"{name} is no attribute yet")

    def method(self, function: OpenFunction, record: Record) -> Value:
        marks = {last_name(each) for each in function.node.decorator_list}
        bound = OpenFunction(function.node, function.scope, function.file, record)
        if "staticmethod" in marks:
            return function
        return self.read_property(bound) if marks & {"property", "cached_property"} else bound

    def classes(self, record: Record) -> list[Record]:
        """The record's class and its bases, in the order in which Python looks."""
        found: list[Record] = []
        waiting = [record if record.kind == "class" else record.made_from]
        while waiting and len(found) < 20:
            each = waiting.pop(0)
            if each is not None:
                found.append(each)
                waiting += each.bases
        return found

    def entry(self, node: ast.Subscript, scope: NameScope) -> Value:
        if isinstance(node.value, ast.Call) and last_name(node.value.func) in ("globals", "locals"):
            named = self.value(node.slice, scope)
            if isinstance(named, Constant) and is_name(named.value):
                return self.value(ast.Name(named.value, ast.Load()), scope)
        base = self.value(node.value, scope)
        if (
            isinstance(base, Constant)
            and isinstance(base.value, str)
            and isinstance(node.slice, ast.Slice | ast.Constant)
        ):
            bounds: Any = self.bounds(node.slice, scope) if isinstance(node.slice, ast.Slice) else node.slice.value
            return Constant(base.value[bounds])
        if not isinstance(base, Record) or base.kind == "class":
            new = copy.copy(node)
            new.value, new.slice = self.express(base), self.code(node.slice, scope)
            return new
        if isinstance(node.slice, ast.Slice) and base.kind in LIST_KINDS:
            return list_record(base.entries[self.bounds(node.slice, scope)], base.kind)
        try:
            key = self.key(base, node.slice, scope)
        except NotPlain:
            if base.variable is None:
                raise
            new = copy.copy(node)
            new.value, new.slice = self.express(base), self.code(node.slice, scope)
            return new
        if key not in base.fields and base.default is not None:
            base.fields[key] = base.default()
        if key not in base.fields:
            raise NotPlain(f"{key!r} is no entry yet")
        return base.fields[key]

    def bounds(self, node: ast.Slice, scope: NameScope) -> slice:
        parts = [node.lower, node.upper, node.step]
        return slice(*(None if each is None else constant_of(self.value(each, scope)) for each in parts))

    def key(self, base: Record, node: ast.expr, scope: NameScope) -> str | int | None:
        """An entry's key. Raises NotPlain."""
        value = self.value(node, scope)
        if isinstance(value, Record) and value.kind == "tuple":
            return "_".join(str(constant_of(each)) for each in value.entries)
        key = self.known(node, value, scope)
        if base.kind in LIST_KINDS and isinstance(key, int) and key < 0:
            key += len(base.entries)
        if not isinstance(key, str | int | None):
            raise NotPlain("no key")
        return key

    def known(self, node: ast.expr, value: Value, scope: NameScope) -> Any:
        """What a key is, also where it is computed from variables whose numbers are known. Raises NotPlain."""
        if isinstance(value, ast.BinOp) and isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            left, right = (self.known(each, self.value(each, scope), scope) for each in (node.left, node.right))
            return arithmetic(node.op, left, right)
        return constant_of(value)

    def call(self, node: ast.Call, scope: NameScope) -> Value:
        raise NotImplementedError

    def values_of(self, nodes: Sequence[ast.expr], scope: NameScope) -> list[Value]:
        """The elements of a list. Raises NotPlain."""
        raise NotImplementedError

    def dictionary(self, node: ast.Dict, scope: NameScope) -> Record:
        raise NotImplementedError

    def text(self, node: ast.JoinedStr, scope: NameScope) -> Value:
        raise NotImplementedError

    def operation(self, node: ast.BinOp | ast.UnaryOp | ast.Compare, scope: NameScope) -> Value:
        raise NotImplementedError

    def comprehension(self, node: Comprehension, scope: NameScope) -> Value:
        raise NotImplementedError


def arithmetic(kind: ast.operator, left: Any, right: Any) -> Any:
    """Raises NotPlain."""
    try:
        found = ARITHMETIC[type(kind)](left, right)
        if len(found) < LONGEST if isinstance(found, str) else abs(found) < 10**9:
            return found
    except (TypeError, ValueError, ArithmeticError):
        pass
    raise NotPlain("no result")
