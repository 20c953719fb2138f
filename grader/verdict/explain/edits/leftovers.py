"""What ends a function that computes something: the stub's `raise`, or a name that is not set yet."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.source.syntax import is_stub_raise, is_text


def keeps_the_stub_s_raise(function: ast.FunctionDef) -> bool:
    """Whether it has other code as well as `raise NotImplementedError`."""
    code = [each for each in function.body if not is_text(each) and not isinstance(each, ast.Pass)]
    return len(code) > 1 and any(map(is_stub_raise, code))


def read_before_set(function: ast.FunctionDef) -> list[str]:
    """Variables that a statement both reads and sets before anything else has set them: `g = g + 1`."""
    is_set = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    found: dict[str, None] = {}
    for statement in statements_in(function):
        names = list(names_before_body(statement))
        stored = {each.id for each in names if is_stored(each)}
        read = stored if isinstance(statement, ast.AugAssign) else {each.id for each in names if not is_stored(each)}
        found |= dict.fromkeys(sorted((stored & read) - is_set))
        is_set |= stored
    return list(found)


def names_before_body(statement: ast.stmt) -> Iterator[ast.Name]:
    """The names in a statement; of a loop, a condition or a function inside only those before its body."""
    inside = ast.iter_child_nodes(statement)
    parts = [each for each in inside if not isinstance(each, (ast.stmt, ast.ExceptHandler, ast.match_case))]
    return (node for part in parts for node in ast.walk(part) if isinstance(node, ast.Name))


def is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def statements_in(function: ast.FunctionDef) -> list[ast.stmt]:
    """The function's statements in the order of its text, those inside loops and conditions included."""
    inside = [each for each in ast.walk(function) if isinstance(each, ast.stmt) and each is not function]
    return sorted(inside, key=lambda each: (each.lineno, each.col_offset))
