"""Lists, dictionaries, operations and comprehensions of a notebook, as far as the text decides their values."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from grader.intake.notebook.object_expressions import ARITHMETIC, LONGEST, PartReader, arithmetic
from grader.intake.notebook.object_values import (
    LIST_KINDS,
    Constant,
    NameScope,
    NotPlain,
    Record,
    Value,
    Variable,
    constant_of,
    entries_of,
    list_record,
    same_keys,
    truth,
)
from grader.source.syntax import Comprehension, stored_names


class OperationReader(PartReader):
    """Evaluates displays, operations and comprehensions."""

    def values_of(self, nodes: Sequence[ast.expr], scope: NameScope) -> list[Value]:
        found: list[Value] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found += entries_of(self.value(node.value, scope))
            else:
                found.append(self.value(node, scope))
        return found

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

    def comparison(self, node: ast.Compare, scope: NameScope) -> Value:
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

    def comprehension(self, node: Comprehension, scope: NameScope) -> Value:
        """As code where its loop goes over plain values, else written out."""
        names = frozenset(name for each in node.generators for name in stored_names(each.target))
        try:
            plain: dict[str, Value] = {name: ast.Name(name, ast.Load()) for name in names}
            inner = NameScope(plain, scope, names, scope.call)
            new = copy.copy(node)
            new.generators = [self.rebuilt_generator(each, inner) for each in node.generators]
            for field in ("elt", "key", "value"):
                if hasattr(node, field):
                    setattr(new, field, self.code(getattr(node, field), inner))
            return new
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
        conditions = [self.code(each, scope) for each in node.ifs]
        return ast.comprehension(node.target, self.express(found), conditions, node.is_async)

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
