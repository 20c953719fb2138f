"""What the expressions of a notebook are, where its objects are known: parts of records, or code of plain variables."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from grader.intake.notebook.object_values import (
    ARITHMETIC,
    LIST_KINDS,
    Constant,
    Key,
    NameScope,
    NotPlain,
    OpenFunction,
    Record,
    Value,
    Variable,
    arithmetic,
    constant_of,
    entries_of,
    is_name,
    list_record,
    remade,
    result_of,
    same_keys,
    truth,
)
from grader.source.syntax import Comprehension, last_name, stored_names

MAX_EVALUATED_EXPRESSIONS = 200_000
"""Expressions that are evaluated and written for a notebook, so that none takes longer than a second or two."""


class PartReader:
    """Evaluates expressions as far as the text decides them. The code that is left contains plain variables only."""

    steps = 0

    def call(self, node: ast.Call, scope: NameScope) -> Value:
        raise NotImplementedError

    def read_property(self, function: OpenFunction) -> Value:
        raise NotImplementedError

    def count(self) -> None:
        self.steps += 1
        if self.steps > MAX_EVALUATED_EXPRESSIONS:
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
                base = self.value(node.value, scope)
                return self.attribute(base, node.attr) if isinstance(base, Record) else self.with_base(node, base)
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

    def values_of(self, nodes: Sequence[ast.expr], scope: NameScope) -> list[Value]:
        """The elements of a list. Raises NotPlain."""
        found: list[Value] = []
        for node in nodes:
            value = self.value(node.value if isinstance(node, ast.Starred) else node, scope)
            found += entries_of(value) if isinstance(node, ast.Starred) else [value]
        return found

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
            case Record(variable=str(name)):
                return ast.Name(name, ast.Load())
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

    def rebuilt(self, node: Any, scope: NameScope) -> Any:
        """The node with each expression in it replaced by its code."""
        if isinstance(node, ast.Lambda):
            names = frozenset(each.arg for each in node.args.args)
            scope = NameScope({name: ast.Name(name, ast.Load()) for name in names}, scope, names, scope.call)

        def part(old: Any) -> Any:
            if isinstance(old, ast.expr):
                return self.code(old, scope)
            if isinstance(old, ast.keyword):
                return self.rebuilt(old, scope)
            return [part(each) for each in old] if isinstance(old, list) else old

        return remade(node, **{name: part(old) for name, old in ast.iter_fields(node)})

    # ---- parts of records ----

    def with_base(self, node: ast.Attribute | ast.Subscript, base: Value) -> ast.Attribute | ast.Subscript:
        return remade(node, value=self.express(base))

    def attribute(self, record: Record, name: str) -> Value:
        if name == "__dict__":
            return record
        if name == "__class__" and record.kind == "object" and record.bases:
            return record.bases[0]
        for each in record.classes:
            if name in each.fields:
                found = each.fields[name]
                is_method = isinstance(found, OpenFunction) and each is not record and record.kind == "object"
                return self.method(found, record) if is_method and isinstance(found, OpenFunction) else found
        raise NotPlain(f"{name} is no attribute yet")

    def method(self, function: OpenFunction, record: Record) -> Value:
        marks = {last_name(each) for each in function.node.decorator_list}
        if "staticmethod" in marks:
            return function
        bound = OpenFunction(function.node, function.scope, record)
        return self.read_property(bound) if marks & {"property", "cached_property"} else bound

    def entry(self, node: ast.Subscript, scope: NameScope) -> Value:
        if isinstance(node.value, ast.Call) and last_name(node.value.func) in ("globals", "locals"):
            named = self.value(node.slice, scope)
            if isinstance(named, Constant) and is_name(named.value):
                return self.value(ast.Name(named.value, ast.Load()), scope)
        base = self.value(node.value, scope)
        bounds = node.slice if isinstance(node.slice, ast.Slice) else None
        if isinstance(base, Constant) and isinstance(base.value, str):
            place: Any = self.bounds(bounds, scope) if bounds else constant_of(self.value(node.slice, scope))
            return Constant(base.value[place])
        if isinstance(base, Record) and base.kind in LIST_KINDS and bounds:
            return list_record(base.entries[self.bounds(bounds, scope)], base.kind)
        if isinstance(base, Record) and base.kind != "class":
            try:
                key = self.key(base, node.slice, scope)
                if key not in base.fields and base.default is not None:
                    base.fields[key] = base.default()
                if key in base.fields:
                    return base.fields[key]
                raise NotPlain(f"{key!r} is no entry yet")
            except NotPlain:
                if base.variable is None:
                    raise
        return remade(self.with_base(node, base), slice=self.code(node.slice, scope))

    def bounds(self, node: ast.Slice, scope: NameScope) -> slice:
        parts = [node.lower, node.upper, node.step]
        return slice(*(None if each is None else constant_of(self.value(each, scope)) for each in parts))

    def key(self, base: Record, node: ast.expr, scope: NameScope) -> Key:
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

    # ---- dictionaries, texts, operations, comprehensions ----

    def dictionary(self, node: ast.Dict, scope: NameScope) -> Record:
        record = Record("dict")
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                record.fields |= same_keys(self.value(value, scope)).fields
            else:
                record.fields[self.key(record, key, scope)] = self.value(value, scope)
        return record

    def text(self, node: ast.JoinedStr, scope: NameScope) -> Value:
        try:
            parts = []
            for each in node.values:
                plain = isinstance(each, ast.FormattedValue) and each.conversion == -1 and each.format_spec is None
                if not plain and not isinstance(each, ast.Constant):
                    raise NotPlain("a format")
                inner = each.value if isinstance(each, ast.FormattedValue) else each
                parts.append(str(constant_of(self.value(inner, scope))))
            return Constant("".join(parts))
        except NotPlain:
            return node

    def operation(self, node: ast.BinOp | ast.UnaryOp | ast.Compare, scope: NameScope) -> Value:
        if isinstance(node, ast.Compare):
            first, *others = [self.value(each, scope) for each in (node.left, *node.comparators)]
            found = result_of(node.ops[0], first, others[0]) if len(others) == 1 else None
            return found or remade(node, left=self.express(first), comparators=[self.express(e) for e in others])
        if isinstance(node, ast.UnaryOp):
            operand = self.value(node.operand, scope)
            return result_of(node.op, operand, operand) or remade(node, operand=self.express(operand))
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        return result_of(node.op, left, right) or remade(node, left=self.express(left), right=self.express(right))

    def comprehension(self, node: Comprehension, scope: NameScope) -> Value:
        """As code where its loop goes over plain values, else written out."""
        names = frozenset(name for each in node.generators for name in stored_names(each.target))
        try:
            plain: dict[str, Value] = {name: ast.Name(name, ast.Load()) for name in names}
            inner = NameScope(plain, scope, names, scope.call)
            generators = [self.rebuilt_generator(each, inner) for each in node.generators]
            parts = [(part, getattr(node, part)) for part in ("elt", "key", "value") if hasattr(node, part)]
            return remade(node, generators=generators, **{part: self.code(each, inner) for part, each in parts})
        except NotPlain:
            rounds = self.rounds(node.generators, NameScope({}, scope, names, scope.call))
        if isinstance(node, ast.DictComp):
            record = Record("dict")
            for each in rounds:
                record.fields[self.key(record, node.key, each)] = self.value(node.value, each)
            return record
        return list_record([self.value(node.elt, each) for each in rounds])

    def rebuilt_generator(self, node: ast.comprehension, scope: NameScope) -> ast.comprehension:
        found = self.value(node.iter, scope)
        if isinstance(found, Record) and found.variable is None and found.has_objects:
            raise NotPlain("a loop over objects")
        return remade(node, ifs=[self.code(each, scope) for each in node.ifs], iter=self.express(found))

    def rounds(self, generators: Sequence[ast.comprehension], scope: NameScope) -> list[NameScope]:
        found = [scope]
        for each in generators:
            found = [
                new
                for old in found
                for entry in entries_of(self.value(each.iter, old))
                if (new := self.matched(each.target, entry, old)) and self.holds(each.ifs, new)
            ]
        return found

    def holds(self, conditions: Sequence[ast.expr], scope: NameScope) -> bool:
        known = [truth(self.value(each, scope)) for each in conditions]
        if None in known:
            raise NotPlain("a condition")
        return all(known)

    def matched(self, target: ast.expr, value: Value, scope: NameScope) -> NameScope:
        """A scope like this one in which a loop's names have this round's values."""
        new = NameScope(dict(scope.values), scope.outer, scope.local, scope.call)
        waiting = [(target, value)]
        while waiting:
            node, value = waiting.pop()
            if isinstance(node, ast.Name):
                new.values[node.id] = value
            elif isinstance(node, ast.Tuple | ast.List) and len(node.elts) == len(entries_of(value)):
                waiting += zip(node.elts, entries_of(value), strict=True)
            else:
                raise NotPlain("a target")
        return new
