"""The statements of a lesson's forward pass, as text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from grader.lesson.lesson import Lesson
from grader.source.syntax import FunctionDefinition, all_nodes, names_in, stored_names

SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)


@lru_cache(maxsize=64)  # `dojo watch` shows some of them on every screen
def forward_statements(lesson: Lesson) -> Mapping[str, str]:
    """{name: the lines of forward.py that compute it}, in order.

    A line `t.name = ...` is given without the tape's `t.`. A value that a loop or `setattr` names, or that is computed
    from Python's own variables, has the lines as they are, and behind them what this name reads.
    """
    path = lesson.exercise / "forward.py"
    here = path.resolve()
    source = path.read_text(encoding="utf-8")
    statements, source_lines = statements_by_line(ast.parse(source)), source.encode().split(b"\n")
    graph = lesson.public.graph
    found = {}
    for name, place in graph.places.items():
        is_here = Path(place.file).resolve() == here
        if not is_here or place.line not in statements:
            found[name] = f"{place.text.strip()}  # {name}"
            continue
        statement, function = statements[place.line]
        before = list(lines_before(statement, function))
        is_direct = isinstance(statement, ast.Assign) and is_name_of_tape(statement.targets[0], name)
        text = statement_text(source_lines, statement)
        if is_direct and not before:
            found[name] = re.sub(r"\bt\.", "", text)
            continue
        lines = [statement_text(source_lines, each) for each in before]
        read = ", ".join(each for each in graph.values if each in graph.sources[name])
        found[name] = "\n".join([*lines, f"{text}  # {name} reads {read or 'no named value'}"])
    return found


def statement_text(lines: Sequence[bytes], statement: ast.stmt) -> str:
    """A statement on one line. `lines` are those of its file; ast.get_source_segment would split the file each time."""
    parts = list(lines[statement.lineno - 1 : statement.end_lineno])
    parts[-1] = parts[-1][: statement.end_col_offset]
    parts[0] = parts[0][statement.col_offset :]
    return " ".join(b" ".join(parts).decode().split())


def forward_lines(lesson: Lesson, target: str) -> list[str]:
    """The lines of the forward pass through which `target` feeds the loss."""
    graph = lesson.public.graph
    readers = set(graph.consumers[target]) | {name for name in graph.fused if target in graph.sources[name]}
    texts = [text for name, text in forward_statements(lesson).items() if name in readers]
    return [line for text in texts for line in text.split("\n")]


def is_name_of_tape(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Attribute) and target.attr == name


def statements_by_line(tree: ast.Module) -> dict[int, tuple[ast.stmt, FunctionDefinition]]:
    """{a line: (the innermost simple statement on it, the function that it is in)}"""
    found: dict[int, tuple[ast.stmt, FunctionDefinition]] = {}
    for function in (node for node in ast.walk(tree) if isinstance(node, FunctionDefinition)):
        for node in all_nodes(function):
            if isinstance(node, SIMPLE):
                found |= dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), (node, function))
    return found


def lines_before(statement: ast.stmt, function: FunctionDefinition) -> Iterator[ast.stmt]:
    """The statements that give Python's own variables the values that a statement reads, in order."""
    simple = [node for node in all_nodes(function) if isinstance(node, SIMPLE) and node is not statement]
    giving = sorted((node for node in simple if stored_names(node)), key=lambda node: node.lineno)
    needed, used = names_in(statement), set[int]()
    while True:
        new = [node for node in giving if id(node) not in used and stored_names(node) & needed]
        if not new:
            break
        for node in new:
            used.add(id(node))
            needed |= names_in(node)
    yield from (node for node in giving if id(node) in used)
