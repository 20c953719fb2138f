"""Where a function is defined that a file does not have at its top level. The file is read, never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection

MOST_CHARACTERS = 300_000


def nested_definitions(source: str, names: Collection[str]) -> dict[str, tuple[int, str]]:
    """{name: (line, what it is inside of, in words)} of functions that are defined inside something else only."""
    if len(source) > MOST_CHARACTERS:
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, tuple[int, str]] = {}
    waiting: list[tuple[ast.AST, str]] = [(statement, "") for statement in reversed(tree.body)]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.FunctionDef) and node.name in names and inside:
            found.setdefault(node.name, (node.lineno, inside))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inside = f"the function `{node.name}`"
        elif isinstance(node, ast.ClassDef):
            inside = f"the class `{node.name}`"
        elif isinstance(node, (ast.If, ast.For, ast.While, ast.With, ast.Try)) and not inside:
            guard = isinstance(node, ast.If) and "__name__" in names_in(node.test)
            inside = 'a block `if __name__ == "__main__":`, which is not run here' if guard else "a block"
        waiting += [(child, inside) for child in reversed(list(ast.iter_child_nodes(node))) if is_block(child)]
    return found


def names_in(expression: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


def is_block(node: ast.AST) -> bool:
    return isinstance(node, (ast.stmt, ast.ExceptHandler))
