"""A function that is called in a notebook: whether its body can take the place of the call, and with which names."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from grader.source.syntax import DefinitionNode, children, last_name, parameters

HARMLESS_DECORATORS = frozenset({"no_grad", "inference_mode", "enable_grad"})


def can_be_opened(function: ast.FunctionDef) -> bool:
    """Whether the function returns at its end only, and nothing is around it that changes what it does."""
    decorators = [last_name(each.func if isinstance(each, ast.Call) else each) for each in function.decorator_list]
    own: list[ast.AST] = []
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        own.append(waiting.pop())
        waiting += () if isinstance(own[-1], DefinitionNode | ast.Lambda) else children(own[-1])
    returns = [each for each in own if isinstance(each, ast.Return)]
    return (
        {*decorators} <= HARMLESS_DECORATORS
        and function.args.vararg is function.args.kwarg is None
        and not any(isinstance(each, ast.Yield | ast.YieldFrom) for each in own)
        and (not returns or returns == function.body[-1:])
    )


def arguments_of(function: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr] | None:
    """{parameter: the expression that a call gives it}; None where nobody can say.

    A list that is unpacked as the last argument has the parameters that are left, in one key: {"a, b": the list}.
    """
    names = [each.arg for each, _ in parameters(function)]
    given = {each.arg: default for each, default in parameters(function) if default is not None}
    places = [*call.args]
    rest = places.pop() if places and isinstance(places[-1], ast.Starred) else None
    words = {word.arg: word.value for word in call.keywords if word.arg is not None}
    if len(places) > len(names) or any(isinstance(each, ast.Starred) for each in places):
        return None
    if len(words) < len(call.keywords) or not words.keys() <= {*names[len(places) :]}:
        return None
    given |= dict(zip(names, places, strict=False)) | words
    left = [each for each in names if each not in given]
    if isinstance(rest, ast.Starred) and left:
        return {**given, ", ".join(left): rest.value}
    return given if not left and rest is None else None


def target_of(names: str, new: Mapping[str, str]) -> ast.expr:
    """The names of a parameter, or of several, to assign to."""
    parts: list[ast.expr] = [ast.Name(new.get(each, each), ast.Store()) for each in names.split(", ")]
    return ast.Tuple(parts, ast.Store()) if len(parts) > 1 else parts[0]


class Renamer(ast.NodeTransformer):
    """Gives variables other names."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self._names.get(node.id, node.id), node.ctx), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self._names.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self._names.get(node.arg, node.arg)
        return node
