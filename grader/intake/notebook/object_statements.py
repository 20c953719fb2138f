"""A notebook's statements without its objects: each attribute and entry that the text decides is a plain variable."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.intake.notebook.object_calls import RESULT_NAME
from grader.intake.notebook.object_stores import PlainStatement, StoreWriter, as_expression, is_own
from grader.intake.notebook.object_values import (
    NONE_VALUE,
    Constant,
    NameScope,
    NotPlain,
    OpenFunction,
    Record,
    Value,
    Variable,
    entries_of,
    remade,
    truth,
)
from grader.source.syntax import all_nodes, base_name, last_name, stored_names


class StatementReader(StoreWriter):
    """Reads statements in their order, and writes them without objects."""

    def read(self) -> list[list[PlainStatement]]:
        """The statements of each body."""
        scope, found = NameScope(self.globals), []
        for _, body in self.bodies:
            self.out = []
            for node in body:
                self.read_statement(node, scope)
            found.append(self.out)
        return found

    def read_statement(self, node: ast.stmt, scope: NameScope) -> None:
        """One of the notebook's own statements: as it is, where its objects are not decided."""
        start = len(self.out)
        try:
            if self.statement(node, scope) is not None:
                raise NotPlain("a return outside of a function")
        except (NotPlain, RecursionError, ValueError, TypeError, IndexError, KeyError):
            del self.out[start:]
            self.depth, self.in_place, self.line = 0, 0, node
            self.add(node)
            for each in all_nodes(node):
                if isinstance(each, ast.Name | ast.Attribute | ast.Subscript) and isinstance(each.ctx, ast.Store):
                    scope.values.pop(base_name(each), None)

    def run(self, body: Sequence[ast.stmt], scope: NameScope) -> Value | None:
        for node in body:
            found = self.statement(node, scope)
            if found is not None:
                return found
        return None

    def statement(self, node: ast.stmt, scope: NameScope) -> Value | None:
        """Writes one statement; what it returns, None where the next one follows. Raises NotPlain."""
        outer, self.line = self.line, node
        try:
            return self.rewrite(node, scope)
        finally:
            self.line = outer

    def rewrite(self, node: ast.stmt, scope: NameScope) -> Value | None:
        match node:
            case ast.Return():
                if self.in_place > scope.level:
                    raise NotPlain("a return inside a loop")
                return (
                    NONE_VALUE
                    if node.value is None
                    else self.keep_in_variable(self.value(node.value, scope), RESULT_NAME, scope)
                )
            case ast.Assign():
                self.assign_targets(node, scope)
            case ast.AnnAssign(value=ast.expr() as given):
                self.store(node.target, self.value(given, scope), scope)
            case ast.AugAssign():
                self.change(node, scope)
            case ast.Expr():
                found = self.value(node.value, scope)
                if isinstance(found, ast.expr):
                    self.add(remade(node, value=found))
            case ast.If():
                known = truth(value := self.value(node.test, scope))
                if known is not None and not isinstance(node.test, ast.Constant):
                    return self.run(node.body if known else node.orelse, scope)
                self.add_compound(node, scope, test=self.express(value))
            case ast.For():
                return self.loop(node, scope)
            case ast.With():  # the body of a `with torch.no_grad():` without it
                for item in node.items:
                    if item.optional_vars is not None:
                        self.store(item.optional_vars, self.value(item.context_expr, scope), scope)
                return self.run(node.body, scope)
            case ast.While():
                self.add_compound(node, scope, test=self.code(node.test, scope))
            case ast.Try():
                handlers = [remade(each, body=self.block(each.body, scope)) for each in node.handlers]
                self.add_compound(node, scope, handlers=handlers, finalbody=self.block(node.finalbody, scope))
            case ast.FunctionDef() | ast.ClassDef():
                self.define(node, scope)
            case ast.Import() | ast.ImportFrom() if scope.outer is not None:
                for alias in node.names:
                    scope.set(alias.asname or alias.name, ast.Name(alias.asname or alias.name, ast.Load()))
                self.add(node)
            case ast.Delete() | ast.Raise() if scope.outer is not None:
                raise NotPlain("del or raise")
            case ast.Pass() | ast.Global() | ast.Assert() | ast.AnnAssign():
                pass
            case _:
                self.add(node)
        return None

    def assign_targets(self, node: ast.Assign, scope: NameScope) -> None:
        """All targets of an assignment get one value, which is computed once."""
        *others, last = node.targets
        value = self.value(node.value, scope)
        if others and isinstance(value, ast.expr) and not isinstance(value, ast.Name):
            self.store(last, value, scope)
            value = self.value(as_expression(last), scope)
        else:
            others = node.targets
        for target in others:
            self.store(target, value, scope)

    def define(self, node: ast.FunctionDef | ast.ClassDef, scope: NameScope) -> None:
        """A definition at the top level also stays as it is."""
        made = self.class_of(node, scope) if isinstance(node, ast.ClassDef) else OpenFunction(node, scope)
        if scope.outer is None:
            self.add(node)
        if made is not None:
            scope.set(node.name, made)

    def add_compound(self, node: ast.If | ast.For | ast.While | ast.Try, scope: NameScope, **fields: object) -> None:
        """A block that stays, with these fields and its statements without objects."""
        self.add(remade(node, **fields, body=self.block(node.body, scope), orelse=self.block(node.orelse, scope)))

    def block(self, body: Sequence[ast.stmt], scope: NameScope) -> list[ast.stmt]:
        """A block's statements, written into a list of their own.

        Names that it assigns get variables of their own before it: it may run many times, or never.
        """
        for name in sorted({name for node in body for name in stored_names(node)}):
            holder = scope.holder(name)
            value = holder.values.get(name)
            is_plain = holder.outer is not None and isinstance(value, Variable | Constant | ast.expr)
            if isinstance(value, Variable) and is_own(value, name, holder):
                value.constant = None
            elif is_plain and value is not None:
                holder.values[name] = self.bind(name, self.express(value), holder)
        outside, self.out = self.out, []
        self.in_place += 1
        try:
            if self.run(body, scope) is not None:
                raise NotPlain("a return inside a block")
            return [each for _, each in self.out] or ([ast.copy_location(ast.Pass(), body[0])] if body else [])
        finally:
            self.out = outside
            self.in_place -= 1

    def loop(self, node: ast.For, scope: NameScope) -> Value | None:
        """In its place where it goes over plain values; else written out, round by round."""
        over = self.value(node.iter, scope)
        if not (isinstance(over, Record) and over.has_objects):
            start = len(self.out)
            try:
                self.add_compound(node, scope, iter=self.express(over), target=self.target(node.target, scope))
                return None
            except NotPlain:
                del self.out[start:]
            if isinstance(node.iter, ast.Call) and last_name(node.iter.func) == "range":
                over = Constant(range(*(self.known(each, self.value(each, scope), scope) for each in node.iter.args)))
        if any(isinstance(each, ast.Break | ast.Continue) for each in all_nodes(node)):
            raise NotPlain("a loop that is left")
        inner, assigned, before = scope, dict[str, ast.stmt](), dict[str, Value]()
        if scope.outer is None:  # each round has variables of its own
            assigned = {name: each for each in node.body for name in stored_names(each)}
            before = {name: self.globals[name] for name in assigned if name in self.globals}
            inner = NameScope(dict(before), scope, frozenset(assigned), 0, self.in_place)
        for entry in entries_of(over):
            for name, value in self.matched(node.target, entry, NameScope()).values.items():
                inner.set(name, value)
            found = self.run(node.body, inner)
            if found is not None:
                return found
        for name, self.line in sorted(assigned.items()):
            if name in inner.values and inner.values[name] is not before.get(name):
                self.store_name(name, inner.values[name], scope)
        return self.run(node.orelse, scope)
