"""Lines of the functions that a notebook calls in its forward pass, with the names that the call gives their variables.

`def forward(x, y)`, called as `loss = forward(xb, yb)`: its line `emb = C[x]` says what `xb` is.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping

from grader.intake.notebook.script import Statement
from grader.source.syntax import nested_statements

MAX_CALLED_LINES = 50


def lines_of_calls(forward: Iterable[Statement], everywhere: Iterable[Statement]) -> list[tuple[str, ast.expr]]:
    """(name, expression) of each assignment in the functions that the statements of the forward pass call by name."""
    functions = {each.node.name: each.node for each in everywhere if isinstance(each.node, ast.FunctionDef)}
    found: list[tuple[str, ast.expr]] = []
    calls = 0
    for statement in forward if functions else ():
        value = getattr(statement.node, "value", None)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in functions:
            calls += 1
            function = functions[value.func.id]
            if calls <= MAX_CALLED_LINES:
                found += renamed_lines(function, Renamed(names_of_call(function, value, statement.node)))
    return found


def names_of_call(function: ast.FunctionDef, call: ast.Call, statement: ast.stmt) -> dict[str, str]:
    """{variable of the function: the name around the call}, of what it receives and of what it returns."""
    places = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    given = [*zip(places, call.args, strict=False), *((word.arg, word.value) for word in call.keywords)]
    found = {own: each.id for own, each in given if own is not None and isinstance(each, ast.Name)}
    results = [names_in_order(each.value) for each in nested_statements(function.body) if isinstance(each, ast.Return)]
    targets = names_in_order(statement.targets[0]) if isinstance(statement, ast.Assign) else []
    for result in results:
        if len(result) == len(targets):
            found |= dict(zip(result, targets, strict=True))
    return found


def names_in_order(node: ast.expr | None) -> list[str]:
    """`a`, or the names in `a, b`; none where there is anything else."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    names = [each.id for each in parts if isinstance(each, ast.Name)]
    return names if len(names) == len(parts) else []


def renamed_lines(function: ast.FunctionDef, renamed: Renamed) -> Iterator[tuple[str, ast.expr]]:
    for node in nested_statements(function.body):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield renamed.names.get(name, name), renamed.visit(copy.deepcopy(value))


class Renamed(ast.NodeTransformer):
    """A function's variables under the names around the call."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)
