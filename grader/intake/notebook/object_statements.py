"""A notebook's statements without its objects: each attribute and entry that the text decides is a plain variable."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from grader.intake.notebook.object_stores import PlainStatement, StoreWriter, as_read, is_own
from grader.intake.notebook.object_values import (
    NOTHING,
    Constant,
    Function,
    NotPlain,
    Record,
    Scope,
    Value,
    Variable,
    entries_of,
    truth,
)
from grader.source.syntax import all_nodes, base_name, last_name, stored_names


class StatementReader(StoreWriter):
    """Reads statements in their order, and writes them without objects."""

    def read(self) -> list[list[PlainStatement]]:
        """The statements of each body."""
        scope, found = Scope(self.globals), []
        for file, body in self.bodies:
            self.out, self.file = [], file
            for node in body:
                self.read_statement(node, scope)
            found.append(self.out)
        return found

    def read_statement(self, node: ast.stmt, scope: Scope) -> None:
        """One of the notebook's own statements: as it is, where its objects are not decided."""
        start, file = len(self.out), self.file
        try:
            if self.statement(node, scope) is not None:
                raise NotPlain("a return outside of a function")
        except (NotPlain, RecursionError, ValueError, TypeError, IndexError, KeyError):
            del self.out[start:]
            self.file, self.depth, self.versioned, self.in_place = file, 0, None, 0
            self.add(node)
            for each in all_nodes(node):
                if isinstance(each, ast.Name | ast.Attribute | ast.Subscript) and isinstance(each.ctx, ast.Store):
                    scope.values.pop(base_name(each), None)

    def run(self, body: Sequence[ast.stmt], scope: Scope) -> Value | None:
        for node in body:
            found = self.statement(node, scope)
            if found is not None:
                return found
        return None

    def statement(self, node: ast.stmt, scope: Scope) -> Value | None:
        """Writes one statement; what it returns, None where the next one follows. Raises NotPlain."""
        self.line = node
        match node:
            case ast.Return():
                if self.in_place > scope.level:
                    raise NotPlain("a return inside a loop")
                return NOTHING if node.value is None else self.value(node.value, scope)
            case ast.Assign():
                self.assign(node, scope)
            case ast.AnnAssign():
                if node.value is not None:
                    self.store(node.target, self.value(node.value, scope), node, scope)
            case ast.AugAssign():
                self.change(node, scope)
            case ast.Expr():
                found = self.value(node.value, scope)
                self.line = node
                if isinstance(found, ast.expr):
                    self.add(ast.copy_location(ast.Expr(found), node))
            case ast.If():
                return self.branch(node, scope)
            case ast.For():
                return self.loop(node, scope)
            case ast.With():
                return self.context(node, scope)
            case ast.While() | ast.Try():
                self.compound(node, scope)
            case ast.FunctionDef():
                self.set_name(node.name, Function(node, scope, self.file), scope)
                if scope.outer is None:
                    self.add(node)
            case ast.ClassDef():
                made = self.class_of(node, scope)
                if scope.outer is None:
                    self.add(node)
                if made is not None:
                    self.set_name(node.name, made, scope)
            case ast.Pass() | ast.Global() | ast.Assert():
                pass
            case ast.Import() | ast.ImportFrom() if scope.outer is not None:
                for alias in node.names:
                    self.set_name(alias.asname or alias.name, ast.Name(alias.asname or alias.name, ast.Load()), scope)
                self.add(node)
            case ast.Delete() | ast.Raise() if scope.outer is not None:
                raise NotPlain("del or raise")
            case _:
                self.add(node)
        return None

    def assign(self, node: ast.Assign, scope: Scope) -> None:
        value = self.value(node.value, scope)
        self.line = node
        if len(node.targets) > 1 and isinstance(value, ast.expr) and not isinstance(value, ast.Name):
            self.store(node.targets[-1], value, node, scope)
            value = self.value(as_read(node.targets[-1]), scope)
            for target in node.targets[:-1]:
                self.store(target, value, node, scope)
            return
        for target in node.targets:
            self.store(target, value, node, scope)

    def written(self, body: Sequence[ast.stmt], scope: Scope) -> list[ast.stmt]:
        """A block's statements, written into a list of their own."""
        self.own_variables(body, scope)
        outside, self.out = self.out, []
        self.in_place += 1
        try:
            if self.run(body, scope) is not None:
                raise NotPlain("a return inside a block")
            return [each for _, each in self.out]
        finally:
            self.out = outside
            self.in_place -= 1

    def own_variables(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        """Gives names that a block assigns variables of their own before it: it may run many times, or never."""
        for name in sorted({name for node in body for name in stored_names(node)}):
            holder = scope.holder(name)
            value = holder.values.get(name)
            if holder.outer is None or not isinstance(value, Variable | Constant | ast.expr):
                continue
            if not (isinstance(value, Variable) and is_own(value, name, holder)):
                holder.values[name] = self.bind(name, self.express(value), holder)

    def branch(self, node: ast.If, scope: Scope) -> Value | None:
        value = self.value(node.test, scope)
        known = truth(value)
        if known is not None and not isinstance(node.test, ast.Constant):
            return self.run(node.body if known else node.orelse, scope)
        new = copy.copy(node)
        new.test = self.express(value)
        new.body = self.written(node.body, scope) or [ast.copy_location(ast.Pass(), node)]
        new.orelse = self.written(node.orelse, scope)
        self.line = node
        self.add(new)
        return None

    def context(self, node: ast.With, scope: Scope) -> Value | None:
        """The body of a `with torch.no_grad():` without it; what it returns."""
        for item in node.items:
            if item.optional_vars is not None:
                self.store(item.optional_vars, self.value(item.context_expr, scope), node, scope)
        return self.run(node.body, scope)

    def compound(self, node: ast.While | ast.Try, scope: Scope) -> None:
        new = copy.copy(node)
        if isinstance(new, ast.While):
            new.test = self.code(new.test, scope)
        else:
            new.handlers = [copy.copy(each) for each in new.handlers]
            for handler in new.handlers:
                handler.body = self.written(handler.body, scope) or [ast.copy_location(ast.Pass(), node)]
            new.finalbody = self.written(new.finalbody, scope)
        new.body = self.written(node.body, scope) or [ast.copy_location(ast.Pass(), node)]
        new.orelse = self.written(node.orelse, scope)
        self.line = node
        self.add(new)

    def loop(self, node: ast.For, scope: Scope) -> Value | None:
        """In its place where it goes over plain values; else written out, round by round."""
        over = self.value(node.iter, scope)
        self.line = node
        if not (isinstance(over, Record) and over.has_objects):
            start = len(self.out)
            try:
                self.loop_in_place(node, over, scope)
                return None
            except NotPlain:
                del self.out[start:]
            if isinstance(node.iter, ast.Call) and last_name(node.iter.func) == "range":
                over = Constant(range(*(self.known(each, self.value(each, scope), scope) for each in node.iter.args)))
        if any(isinstance(each, ast.Break | ast.Continue) for each in all_nodes(node)):
            raise NotPlain("a loop that is left")
        outer, outer_at = self.versioned, self.versioned_at
        if outer is None or self.in_place > outer_at:
            self.versioned, self.versioned_at = set(), self.in_place
        inner = self.versioned
        try:
            for entry in entries_of(over):
                for name, value in self.matched(node.target, entry, Scope()).values.items():
                    self.set_name(name, value, scope)
                found = self.run(node.body, scope)
                if found is not None:
                    return found
        finally:
            self.versioned, self.versioned_at = outer, outer_at
        for name in sorted(inner or ()) if inner is not outer else ():
            holder = scope.holder(name)
            self.add(ast.Assign([ast.Name(name, ast.Store())], self.express(holder.values.pop(name))))
        return self.run(node.orelse, scope)

    def loop_in_place(self, node: ast.For, over: Value, scope: Scope) -> None:
        new = copy.copy(node)
        new.iter = self.express(over)
        new.target = self.target(node.target, scope)
        new.body = self.written(node.body, scope) or [ast.copy_location(ast.Pass(), node)]
        new.orelse = self.written(node.orelse, scope)
        self.line = node
        self.add(new)
