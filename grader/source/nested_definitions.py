"""Functions of a student's file that are defined inside something else. The file is read, never run."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

from grader.source.parsing import parse_submitted
from grader.source.syntax import FunctionDefinition, inner_statements, names_in


def nested_definitions(source: str, names: Collection[str]) -> dict[str, tuple[int, str]]:
    """{name: (line, what it is inside of, in words)} of functions that are defined inside something else only."""
    tree = parse_submitted(source)
    found: dict[str, tuple[int, str]] = {}
    waiting: list[tuple[ast.stmt, str]] = [(statement, "") for statement in reversed(tree.body if tree else [])]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.FunctionDef) and node.name in names and inside:
            found.setdefault(node.name, (node.lineno, inside))
        if isinstance(node, FunctionDefinition):
            inside = f"the function `{node.name}`"
        elif isinstance(node, ast.ClassDef):
            inside = f"the class `{node.name}`"
        elif isinstance(node, ast.stmt) and not inside:
            guard = isinstance(node, ast.If) and "__name__" in names_in(node.test)
            inside = 'a block `if __name__ == "__main__":`, which is not run here' if guard else "a block"
        waiting += [(each, inside) for each in reversed(inner_statements(node))]
    return found


def first_nested(texts: Iterable[str], names: Collection[str]) -> str:
    """The first nested definition of one of these functions, and what to do with it, in words; "" for none."""
    for text in texts:
        for name, (_, where) in nested_definitions(text, names).items():
            return f"`{name}` inside {where}. Move it to the top level, without indentation."
    return ""
