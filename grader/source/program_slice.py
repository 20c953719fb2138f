"""What the value of an expression depends on: program slices (Weiser, "Program Slicing", 1984), by names alone.

A slice follows values only. What a function prints, asserts or tests in an `if` is not part of what it returns, so a
comparison that a student prints is in no slice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from grader.source.callees import ArgumentsOfCalls, Callees, CallTarget, called_function, parameters_of_call
from grader.source.program import MAX_BINDINGS_COMPARED, MUTATORS, Program
from grader.source.scopes import Binding, Scope
from grader.source.syntax import Comprehension, FunctionNode, base_name, children, last_name

MAX_SLICE_NODES = 60_000
"""Nodes of one slice: a lesson's file has a few thousand."""
ROUNDS = 6
"""Rounds of finding out which functions are passed as arguments."""
CALLERS = frozenset({"partial", "map", "starmap", "submit", "apply_along_axis"})
"""Functions that call their first argument with the others."""


class ProgramSlice:
    """All expressions and statements on which some expressions' values depend.

    Attributes:
        nodes: {id: (node, its scope)}.
        arguments: {(id of a function, parameter): the arguments that calls in slices give it}; shared by the slices of
            a program, as a part of a slice needs what the whole slice found out.
    """

    def __init__(
        self,
        program: Program,
        begin: Iterable[tuple[ast.AST, Scope]],
        arguments: ArgumentsOfCalls | None = None,
        changes: Iterable[tuple[Binding, str]] = (),
    ) -> None:
        """`changes` are calls that may change the value of an expression, each with the name that it passes."""
        self.program = program
        self.nodes: dict[int, tuple[ast.AST, Scope]] = {}
        self.arguments: ArgumentsOfCalls = {} if arguments is None else arguments
        self.callees = Callees(program, self.arguments).of
        self._waiting: list[tuple[ast.AST, Scope]] = list(begin)
        self._calls: list[tuple[ast.Call, Scope]] = []
        self._parameters: set[tuple[int, str]] = set()  # that were met
        self._seen: set[int] = set()  # bindings
        self._inner: dict[int, ast.Call] = {}
        self._complete: set[tuple[int, str]] = set()  # names of which all bindings were met
        for change, name in changes:
            self._define(change, name)
        for _ in range(ROUNDS):
            self._follow()
            before = len(self.nodes)
            for call, scope in self._calls:
                self._bind(call, scope)
            self._follow()
            if len(self.nodes) == before:
                break

    def _follow(self) -> None:
        while self._waiting and len(self.nodes) < MAX_SLICE_NODES:
            node, scope = self._waiting.pop()
            if id(node) not in self.nodes:
                self.nodes[id(node)] = node, scope
                self._visit(node, scope)

    def _push(self, node: ast.AST | None, scope: Scope) -> None:
        if node is not None:
            self._waiting.append((node, scope))

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Name):
            self._name(node, scope)
        elif isinstance(node, ast.Attribute):
            self._push(node.value, scope)
            for binding in self.program.attributes.get(node.attr, ()):
                self._define(binding, node.attr)
        elif isinstance(node, ast.Call):
            self._calls.append((node, scope))
            for argument in [*node.args, *(word.value for word in node.keywords)]:
                self._push(argument, scope)
            self._push(node.func, scope)
            self._bind(node, scope)
        elif isinstance(node, ast.IfExp):
            self._push(node.body, scope)
            self._push(node.orelse, scope)
        elif isinstance(node, CallTarget):
            self._enter(node)
        elif isinstance(node, Comprehension):
            inner = self.program.scopes[id(node)]
            parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            for part in [*parts, *(generator.iter for generator in node.generators)]:
                self._push(part, inner)
        elif isinstance(node, ast.AugAssign | ast.Starred):
            self._push(node.value, scope)
        elif isinstance(node, ast.stmt):
            return
        else:
            for child in children(node):
                self._push(child, scope)

    def _name(self, node: ast.Name, scope: Scope) -> None:
        owner, here = scope.owner(node.id), scope.function
        key = id(owner), node.id
        if owner is None or key in self._complete:
            return
        bindings = owner.names[node.id]
        if owner is not here or len(bindings) > MAX_BINDINGS_COMPARED:
            self._complete.add(key)
            for binding in bindings:
                self._define(binding, node.id)
            return
        for binding in bindings:
            if owner.runs_before(binding, node):
                self._define(binding, node.id)

    def _enter(self, target: CallTarget) -> None:
        """A function that is used: what it returns; a class: all its methods."""
        scope = self.program.scopes[id(target)]
        if isinstance(target, ast.ClassDef):
            for statement in target.body:
                if isinstance(statement, FunctionNode):
                    self._push(statement, scope)
            return
        for value in scope.returns:
            self._push(value, scope)
        for decorator in () if isinstance(target, ast.Lambda) else target.decorator_list:
            self._push(decorator, scope.parent or scope)
            for other in self.callees(decorator, scope.parent or scope):
                function = called_function(other)
                if function is not None and function.args.args:
                    key = id(function), function.args.args[-1].arg
                    self.arguments.setdefault(key, []).append((target, scope))
                    if key in self._parameters:
                        self._push(target, scope)

    def _define(self, binding: Binding, name: str) -> None:
        if id(binding) in self._seen:
            return
        self._seen.add(id(binding))
        if binding.kind == "param":
            key = id(binding.node), name
            self._parameters.add(key)
            self._push(binding.value, binding.scope)
            for argument, scope in self.arguments.get(key, ()):
                self._push(argument, scope)
        elif binding.kind == "passed":
            self._changed_by(binding, name)
        elif binding.kind == "import":
            for other in self.program.imported(binding):
                self._define(other, binding.key or name)
        else:
            if binding.kind == "store" and binding.node is not binding.value:
                self.nodes.setdefault(id(binding.node), (binding.node, binding.scope))
            self._push(binding.value, binding.scope)
            if isinstance(binding.value, ast.AugAssign):
                self._push(binding.value.value, binding.scope)

    def _changed_by(self, binding: Binding, name: str) -> None:
        """A call that gets the object: what the function stores in its parameter."""
        call, scope = binding.value, binding.scope
        assert isinstance(call, ast.Call)
        targets = self.callees(call.func, scope)
        for target in targets:
            for parameter, argument in parameters_of_call(target, call):
                if base_name(argument) == name:
                    inner = self.program.scopes[id(called_function(target) or target)]
                    for stored in inner.names.get(parameter, ()):
                        if stored.kind in ("store", "passed"):
                            self._bind(call, scope)
                            self._define(stored, parameter)
        if not targets and isinstance(call.func, ast.Attribute) and call.func.attr in MUTATORS:
            self._push(call, scope)

    def _bind(self, call: ast.Call, scope: Scope) -> None:
        """Gives the parameters of the functions that a call may be about their arguments."""
        if last_name(call.func) in CALLERS and call.args:  # map(f, xs) calls f
            inner = self._inner.get(id(call))
            if inner is None:
                inner = self._inner[id(call)] = ast.Call(call.args[0], call.args[1:], call.keywords)
            call = inner
        for target in self.callees(call.func, scope):
            self._push(target, scope)
            function = called_function(target)
            if function is None:
                continue
            for parameter, argument in parameters_of_call(target, call):
                key = id(function), parameter
                known = self.arguments.setdefault(key, [])
                if all(argument is not other for other, _ in known):
                    known.append((argument, scope))
                if key in self._parameters:
                    self._push(argument, scope)
