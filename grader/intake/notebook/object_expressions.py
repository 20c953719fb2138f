"""What the expressions of a notebook are, where its objects are known: a part of a record, or code of plain variables."""

from __future__ import annotations

import ast
import copy
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.intake.notebook.object_values import (
    LIST_KINDS,
    Constant,
    Function,
    NotPlain,
    Record,
    Scope,
    Value,
    Variable,
    constant_of,
    entries_of,
    list_record,
    same_keys,
    truth,
)
from grader.source.syntax import Comprehension, last_name, stored_names

ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
LONGEST = 200  # characters, or the largest number, that is computed here
NAMESPACES = frozenset({"SimpleNamespace", "Namespace", "Bunch", "EasyDict", "edict"})
PLAIN_BASES = frozenset({"object", "Module", "dict", "ABC", "NamedTuple", "TypedDict", "Generic"})


class ExpressionReader:
    """Evaluates expressions as far as the text decides them. The code that is left contains plain variables only."""

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """Raises NotPlain."""
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
                return list_record(self.several(node.elts, scope), type(node).__name__.lower())
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
        return self.rebuilt(node, scope)

    def call(self, node: ast.Call, scope: Scope) -> Value:
        raise NotImplementedError

    def read_property(self, function: Function) -> Value:
        raise NotImplementedError

    def express(self, value: Value) -> ast.expr:
        """The code for a value. Raises NotPlain."""
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
            case Function(bound=None):
                return ast.Name(value.node.name, ast.Load())
            case ast.expr():
                return value
        raise NotPlain("an object has no expression")

    def code(self, node: ast.expr, scope: Scope) -> ast.expr:
        return self.express(self.value(node, scope))

    def rebuilt(self, node: ast.AST, scope: Scope) -> Any:
        """The node with each expression in it replaced by its code."""
        if isinstance(node, ast.Lambda):
            names = frozenset(each.arg for each in node.args.args)
            scope = Scope({name: ast.Name(name, ast.Load()) for name in names}, scope, names, scope.call)
        new = copy.copy(node)
        for field, old in ast.iter_fields(node):
            if isinstance(old, ast.expr):
                setattr(new, field, self.code(old, scope))
            elif isinstance(old, list):
                setattr(new, field, [self.rebuilt_part(each, scope) for each in old])
            elif isinstance(old, ast.keyword | ast.Slice | ast.comprehension):
                setattr(new, field, self.rebuilt(old, scope))
        return new

    def rebuilt_part(self, node: Any, scope: Scope) -> Any:
        if isinstance(node, ast.expr):
            return self.code(node, scope)
        return self.rebuilt(node, scope) if isinstance(node, ast.keyword) else node

    # parts

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
                if isinstance(found, Function) and record.kind == "object":
                    return self.method(found, record)
                return found
        if record.kind == "dict" and record.made_from is None and record.default is None:
            raise NotPlain("an attribute of a dictionary")
        raise NotPlain(f"{name} is no attribute yet")

    def method(self, function: Function, record: Record) -> Value:
        marks = {last_name(each) for each in function.node.decorator_list}
        bound = Function(function.node, function.scope, function.file, record)
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

    def entry(self, node: ast.Subscript, scope: Scope) -> Value:
        base = self.value(node.value, scope)
        if isinstance(base, Constant) and isinstance(base.value, str) and isinstance(node.slice, ast.Slice | ast.Constant):
            bounds = self.bounds(node.slice, scope) if isinstance(node.slice, ast.Slice) else node.slice.value
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

    def bounds(self, node: ast.Slice, scope: Scope) -> slice:
        parts = [node.lower, node.upper, node.step]
        return slice(*(None if each is None else constant_of(self.value(each, scope)) for each in parts))

    def key(self, base: Record, node: ast.expr, scope: Scope) -> str | int | None:
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

    def known(self, node: ast.expr, value: Value, scope: Scope) -> Any:
        """What a key is, also where it is computed from variables whose numbers are known. Raises NotPlain."""
        if isinstance(value, ast.BinOp) and isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            left, right = (self.known(each, self.value(each, scope), scope) for each in (node.left, node.right))
            return arithmetic(node.op, left, right)
        return constant_of(value)

    # displays and operations

    def several(self, nodes: Sequence[ast.expr], scope: Scope) -> list[Value]:
        found: list[Value] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found += entries_of(self.value(node.value, scope))
            else:
                found.append(self.value(node, scope))
        return found

    def dictionary(self, node: ast.Dict, scope: Scope) -> Record:
        record = Record("dict")
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                record.fields |= same_keys(self.value(value, scope)).fields
            else:
                record.fields[self.key(record, key, scope)] = self.value(value, scope)
        return record

    def text(self, node: ast.JoinedStr, scope: Scope) -> Value:
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

    def operation(self, node: ast.BinOp | ast.UnaryOp | ast.Compare, scope: Scope) -> Value:
        if isinstance(node, ast.UnaryOp):
            value = self.value(node.operand, scope)
            known = truth(value)
            if isinstance(node.op, ast.Not) and known is not None:
                return Constant(not known)
            if isinstance(node.op, ast.USub) and isinstance(value, Constant) and isinstance(value.value, int):
                return Constant(-value.value)
            return ast.copy_location(ast.UnaryOp(node.op, self.express(value)), node)
        if isinstance(node, ast.BinOp):
            left, right = self.value(node.left, scope), self.value(node.right, scope)
            lists = [each for each in (left, right) if isinstance(each, Record) and each.kind == "list"]
            if len(lists) == 2 and isinstance(node.op, ast.Add):
                return list_record([*lists[0].entries, *lists[1].entries])
            if isinstance(node.op, ast.Mult) and len(lists) == 1 and isinstance(right, Constant | Variable):
                return list_record(lists[0].entries * min(constant_of(right), LONGEST))
            texts = [each for each in (left, right) if isinstance(getattr(each, "constant", None), str)]
            if type(node.op) in ARITHMETIC and all(isinstance(e, Constant) or e in texts for e in (left, right)):
                return Constant(arithmetic(node.op, constant_of(left), constant_of(right)))
            return ast.copy_location(ast.BinOp(self.express(left), node.op, self.express(right)), node)
        return self.comparison(node, scope)

    def comparison(self, node: ast.Compare, scope: Scope) -> Value:
        values = [self.value(each, scope) for each in (node.left, *node.comparators)]
        if len(values) == 2:
            left, right = values
            is_negated = isinstance(node.ops[0], ast.IsNot | ast.NotEq | ast.NotIn)
            match node.ops[0]:
                case ast.Is() | ast.IsNot() if right == Constant(None):
                    return Constant((left == Constant(None)) != is_negated)
                case ast.Eq() | ast.NotEq() if isinstance(left, Constant) and isinstance(right, Constant):
                    return Constant((left.value == right.value) != is_negated)
                case ast.In() | ast.NotIn() if isinstance(left, Constant) and isinstance(right, Record):
                    keys = [*right.fields] if right.kind not in LIST_KINDS else [constant_of(e) for e in right.entries]
                    return Constant((left.value in keys) != is_negated)
        first, *others = [self.express(each) for each in values]
        return ast.copy_location(ast.Compare(first, node.ops, others), node)

    # comprehensions

    def comprehension(self, node: Comprehension, scope: Scope) -> Value:
        """As code where its loop goes over plain values, else written out."""
        names = frozenset(name for each in node.generators for name in stored_names(each.target))
        try:
            plain: dict[str, Value] = {name: ast.Name(name, ast.Load()) for name in names}
            inner = Scope(plain, scope, names, scope.call)
            new = copy.copy(node)
            new.generators = [self.rebuilt_generator(each, inner) for each in node.generators]
            for field in ("elt", "key", "value"):
                if hasattr(node, field):
                    setattr(new, field, self.code(getattr(node, field), inner))
            return new
        except NotPlain:
            rounds = self.rounds(node.generators, Scope({}, scope, names, scope.call))
        if isinstance(node, ast.DictComp):
            record = Record("dict")
            for each in rounds:
                record.fields[self.key(record, node.key, each)] = self.value(node.value, each)
            return record
        return list_record([self.value(node.elt, each) for each in rounds])

    def rebuilt_generator(self, node: ast.comprehension, scope: Scope) -> ast.comprehension:
        found = self.value(node.iter, scope)
        if isinstance(found, Record) and found.variable is None and found.has_objects:
            raise NotPlain("a loop over objects")
        conditions = [self.code(each, scope) for each in node.ifs]
        return ast.comprehension(node.target, self.express(found), conditions, node.is_async)

    def rounds(self, generators: Sequence[ast.comprehension], scope: Scope) -> list[Scope]:
        found = [scope]
        for each in generators:
            found = [
                new
                for old in found
                for entry in entries_of(self.value(each.iter, old))
                if (new := self.matched(each.target, entry, old)) and self.holds(each.ifs, new)
            ]
        return found

    def holds(self, conditions: Sequence[ast.expr], scope: Scope) -> bool:
        known = [truth(self.value(each, scope)) for each in conditions]
        if None in known:
            raise NotPlain("a condition")
        return all(known)

    def matched(self, target: ast.expr, value: Value, scope: Scope) -> Scope:
        """A scope like this one in which a loop's names have this round's values."""
        new = Scope(dict(scope.values), scope.outer, scope.local, scope.call)
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


def arithmetic(kind: ast.operator, left: Any, right: Any) -> Any:
    """Raises NotPlain."""
    try:
        found = ARITHMETIC[type(kind)](left, right)
        if len(found) < LONGEST if isinstance(found, str) else abs(found) < 10**9:
            return found
    except (TypeError, ValueError, ArithmeticError):
        pass
    raise NotPlain("no result")
