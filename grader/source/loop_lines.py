"""On which line of a student's file the loop begins in which code was interrupted. The file is read, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from grader.source.parsing import parse_submitted

LoopStatement = ast.For | ast.AsyncFor | ast.While


def line_of_loop(source: str, lines: Sequence[int]) -> int | None:
    """The line where the loop begins in which code was interrupted; without a loop, that of the innermost statement.

    `lines` are those of the calls that were active, outermost first. The outermost loop counts: one inside it may be
    between two of its runs. Only an endless `while` inside that loop is more certain. None where nothing is found.
    """
    tree = parse_submitted(source)
    if tree is None:
        return None
    for line in lines:
        loops = [node for node in statements_around(tree, line) if isinstance(node, LoopStatement)]
        if loops:
            inside = (node for node in ast.walk(loops[0]) if isinstance(node, ast.While))
            return min((node.lineno for node in inside if is_endless(node)), default=loops[0].lineno)
    around = [*statements_around(tree, lines[-1])] if lines else []
    return around[-1].lineno if around else None


def statements_around(tree: ast.Module, line: int) -> Iterator[ast.stmt]:
    """The statements that contain the line, outermost first; inside a function only its own."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno <= line <= last_line(node)]
    found.sort(key=lambda node: (node.lineno, -last_line(node)))
    definitions = [
        place for place, node in enumerate(found) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    yield from found[definitions[-1] + 1 :] if definitions else found


def last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def is_endless(loop: ast.While) -> bool:
    """Whether the condition is a constant that is true, and no statement leaves the loop."""
    leaves = any(isinstance(node, ast.Break | ast.Return | ast.Raise) for node in ast.walk(loop))
    return isinstance(loop.test, ast.Constant) and bool(loop.test.value) and not leaves
