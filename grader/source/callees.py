"""Which functions and classes of a submission a call may be about, and what it passes to their parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from grader.source.program import Program
from grader.source.scopes import Binding, Scope
from grader.source.syntax import FunctionNode, children, last_name

CallTarget = FunctionNode | ast.ClassDef
ArgumentsOfCalls = dict[tuple[int, str], list[tuple[ast.AST, Scope]]]
"""{(id of a function, parameter): the arguments that calls give it, each with its scope}"""
MAX_CALLEE_DEPTH = 12
"""Expressions that lead from one to the next until a function is found."""
MAX_EXPRESSIONS_VISITED = 500
"""Expressions that are visited for one call."""
WRAPPERS = frozenset({"partial", "vmap", "vectorize", "lru_cache", "cache", "jit", "no_grad"})


class Callees:
    """Resolves calls of one program. `arguments` may grow while slices are computed."""

    def __init__(self, program: Program, arguments: ArgumentsOfCalls) -> None:
        self.program, self.arguments = program, arguments

    def of(self, node: ast.AST, scope: Scope) -> list[CallTarget]:
        """The functions, lambdas and classes of the submission that an expression may stand for."""
        if isinstance(node, ast.Attribute) and not (
            node.attr in self.program.methods or node.attr in self.program.attributes or self._is_neighbour(node)
        ):
            return []
        found = self._callees(node, scope, 0, set())
        return list({id(each): each for each in found}.values())

    def _is_neighbour(self, node: ast.Attribute) -> bool:
        return len(self.program.modules) > 1 and isinstance(node.value, ast.Name)

    def _callees(self, node: ast.AST, scope: Scope, depth: int, seen: set[int]) -> list[CallTarget]:
        """`seen` are the nodes that were visited: each is visited once, however they lead to each other."""
        if depth > MAX_CALLEE_DEPTH or id(node) in seen or len(seen) > MAX_EXPRESSIONS_VISITED:
            return []
        seen.add(id(node))
        if isinstance(node, CallTarget):
            return [node]
        if isinstance(node, ast.Name):
            return self._of_bindings(self.program.bindings(node.id, scope), node.id, depth, seen)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node, scope, depth, seen)
        if isinstance(node, ast.Call):
            return self._of_call(node, scope, depth, seen)
        parts: list[ast.AST] = []
        if isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        elif isinstance(node, ast.Subscript | ast.Starred):
            parts = [node.value]
        elif isinstance(node, ast.BoolOp | ast.List | ast.Tuple | ast.Dict):
            parts = children(node)
        return [target for part in parts[:50] for target in self._callees(part, scope, depth + 1, seen)]

    def _of_attribute(self, node: ast.Attribute, scope: Scope, depth: int, seen: set[int]) -> list[CallTarget]:
        """A function of an imported file; every method of that name; what is stored in attributes of that name."""
        found: list[CallTarget] = []
        for binding in self.program.bindings(node.value.id, scope) if isinstance(node.value, ast.Name) else ():
            if binding.kind == "import" and isinstance(binding.node, ast.Import):
                module = self.program.modules.get(binding.key or "")
                found += self._of_bindings(module.names.get(node.attr, ()) if module else (), node.attr, depth, seen)
        found += self.program.methods.get(node.attr, ())
        for binding in self.program.attributes.get(node.attr, ())[:20]:
            found += self._callees(binding.value, binding.scope, depth + 1, seen) if binding.value else []
        return found

    def _of_call(self, call: ast.Call, scope: Scope, depth: int, seen: set[int]) -> list[CallTarget]:
        """What a call may return: `f` of `partial(f, ...)`, `__call__` of a new object, a function that is returned."""
        if last_name(call.func) in WRAPPERS and call.args:
            return self._callees(call.args[0], scope, depth + 1, seen)
        found: list[CallTarget] = []
        for target in self._callees(call.func, scope, depth + 1, seen):
            if isinstance(target, ast.ClassDef):
                found += [m for m in target.body if isinstance(m, FunctionNode) and m.name == "__call__"]
                continue
            inner = self.program.scopes[id(target)]
            for value in inner.returns[:20]:
                found += self._callees(value, inner, depth + 1, seen)
        return found

    def _of_bindings(self, bindings: Iterable[Binding], name: str, depth: int, seen: set[int]) -> list[CallTarget]:
        return [target for binding in bindings for target in self._of_binding(binding, name, depth, seen)]

    def _of_binding(self, binding: Binding, name: str, depth: int, seen: set[int]) -> list[CallTarget]:
        if binding.kind in ("function", "class"):
            return [binding.node]  # type: ignore[list-item]
        if binding.kind == "import":
            return self._of_bindings(self.program.imported(binding), binding.key or name, depth + 1, seen)
        found = self._callees(binding.value, binding.scope, depth + 1, seen) if binding.value is not None else []
        if binding.kind == "param":
            for argument, scope in self.arguments.get((id(binding.node), name), ())[:20]:
                found += self._callees(argument, scope, depth + 1, seen)
        return found


def called_function(target: CallTarget) -> FunctionNode | None:
    """A class is called by its `__init__`."""
    if not isinstance(target, ast.ClassDef):
        return target
    return next((m for m in target.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None)


def parameters_of_call(target: CallTarget, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """(parameter, argument) of a call; what arrives as `*args` counts for the parameter of that name."""
    function = called_function(target)
    if function is None:
        return
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args)]
    bound = bool(names) and names[0] in ("self", "cls") and isinstance(call.func, ast.Attribute)
    if bound or isinstance(target, ast.ClassDef):
        names = names[1:]
    for number, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            for name in names[number:]:
                yield name, argument.value
            break
        if number < len(names):
            yield names[number], argument
        elif given.vararg is not None:
            yield given.vararg.arg, argument
    own = {*names, *(each.arg for each in given.kwonlyargs)}
    for word in call.keywords:
        if word.arg in own:
            yield word.arg, word.value
        elif given.kwarg is not None:
            yield given.kwarg.arg, word.value
