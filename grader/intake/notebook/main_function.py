"""Scripts whose code is inside a function that they call once: `def main(): ...` and `main()`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.source.syntax import all_nodes, nested_statements, parameters, stored_names


def without_main_functions(bodies: Sequence[list[ast.stmt]]) -> list[list[ast.stmt]]:
    """The statements of each cell, with those of such a function in the place of its definition, without the call.

    A function with a variable that has the name of one outside stays: it may be another value.
    """
    called = [name for body in bodies for each in body if (name := called_alone(each))]
    if not called:
        return [*bodies]
    used = [each.id for body in bodies for node in body for each in all_nodes(node) if isinstance(each, ast.Name)]
    outside = {name for body in bodies for each in body for name in stored_names(each)}
    functions = {each.name: each for body in bodies for each in body if isinstance(each, ast.FunctionDef)}
    opened = {
        name: [each for each in node.body if not isinstance(each, ast.Return)]
        for name, node in functions.items()
        if is_main(node) and called.count(name) == used.count(name) == 1
        if outside.isdisjoint(stored for each in node.body for stored in stored_names(each))
    }
    return [
        [
            statement
            for each in body
            if called_alone(each) not in opened
            for statement in (opened.get(each.name, [each]) if isinstance(each, ast.FunctionDef) else [each])
        ]
        for body in bodies
    ]


def called_alone(node: ast.stmt) -> str | None:
    """The function's name in a statement `main()`."""
    match node:
        case ast.Expr(ast.Call(ast.Name(name), [], [])):
            return name
    return None


def is_main(node: ast.FunctionDef) -> bool:
    """Whether it is a function that receives nothing, shares no variables, and returns at its end only."""
    if node.decorator_list or parameters(node):
        return False
    if any(isinstance(each, ast.Global | ast.Nonlocal | ast.Yield | ast.YieldFrom) for each in all_nodes(node)):
        return False
    return all(each is node.body[-1] for each in nested_statements(node.body) if isinstance(each, ast.Return))
