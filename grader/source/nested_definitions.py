"""Where a function is defined that a file does not have at its top level. The file is read, never run."""

from __future__ import annotations

import ast
from collections.abc import Collection

from grader.source.parsing import parse_submitted
from grader.source.syntax import FunctionDefinition, names_in


def nested_definitions(source: str, names: Collection[str]) -> dict[str, tuple[int, str]]:
    """{name: (line, what it is inside of, in words)} of functions that are defined inside something else only."""
    tree = parse_submitted(source)
    found: dict[str, tuple[int, str]] = {}
    waiting: list[tuple[ast.AST, str]] = [(statement, "") for statement in reversed(tree.body if tree else [])]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.FunctionDef) and node.name in names and inside:
            found.setdefault(node.name, (node.lineno, inside))
        if isinstance(node, FunctionDefinition):
            inside = f"the function `{node.name}`"
        elif isinstance(node, ast.ClassDef):
            inside = f"the class `{node.name}`"
        elif isinstance(node, (ast.If, ast.For, ast.While, ast.With, ast.Try)) and not inside:
            guard = isinstance(node, ast.If) and "__name__" in names_in(node.test)
            inside = 'a block `if __name__ == "__main__":`, which is not run here' if guard else "a block"
        blocks = (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt | ast.ExceptHandler))
        waiting += [(block, inside) for block in reversed([*blocks])]
    return found
