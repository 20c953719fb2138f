"""The statements of a lesson's forward pass, as text."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from grader.lesson.lesson import Lesson
from grader.lesson.toml_tables import read_lesson_text
from grader.source.syntax import FunctionDefinition, all_nodes, names_in, stored_names

SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)


@lru_cache(maxsize=64)  # `dojo watch` shows some of them on every screen
def forward_statements(lesson: Lesson) -> Mapping[str, str]:
    """{name: the lines of forward.py that compute it}, in order.

    A line `t.name = ...` is given without the tape's `t.`. A value that a loop or `setattr` names, or that is computed
    from Python's own variables, has the lines as they are, and behind them what this name reads.
    """
    path = lesson.exercise / "forward.py"
    here, source, graph = path.resolve(), read_lesson_text(path), lesson.public.graph
    statements = dict[int, tuple[ast.stmt, list[ast.stmt]]]()  # {line: (statement, all of its function's)}
    for function in (node for node in ast.walk(ast.parse(source)) if isinstance(node, FunctionDefinition)):
        own: list[ast.stmt] = [node for node in all_nodes(function) if isinstance(node, SIMPLE)]
        for node in own:
            statements |= dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), (node, own))
    found = {}
    for name, place in graph.places.items():
        if Path(place.file).resolve() != here or place.line not in statements:
            found[name] = f"{place.text.strip()}  # {name}"
            continue
        statement, own = statements[place.line]
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        before = lines_before(statement, own)
        texts = [" ".join((ast.get_source_segment(source, each) or "").split()) for each in (*before, statement)]
        if isinstance(target, ast.Attribute) and target.attr == name and not before:
            found[name] = re.sub(r"\bt\.", "", texts[-1])
            continue
        read = ", ".join(each for each in graph.values if each in graph.sources[name])
        found[name] = "\n".join(texts) + f"  # {name} reads {read or 'no named value'}"
    return found


def lines_before(statement: ast.stmt, own: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Those of a function's statements that give Python's own variables the values that a statement reads, in order."""
    found, needed = list[ast.stmt](), names_in(statement)
    others = [node for node in own if node is not statement]
    while new := [node for node in others if node not in found and stored_names(node) & needed]:
        found += new
        needed = needed.union(*map(names_in, new))
    return sorted(found, key=lambda node: node.lineno)


def forward_lines(lesson: Lesson, target: str) -> list[str]:
    """The lines of the forward pass through which `target` feeds the loss."""
    graph, passed_on = lesson.public.graph, lesson.public.finer.above(target)  # not through a constant, as an index is
    fused = {name for name in graph.fused if target in graph.sources[name]}
    readers = {*graph.consumers[target], *(fused & passed_on)}
    texts = [text for name, text in forward_statements(lesson).items() if name in readers]
    return [line for text in texts for line in text.split("\n")]


def forward_expressions(lesson: Lesson) -> dict[str, str]:
    """{name: the expression that gives it}, of those that one line of the forward pass computes."""
    lines = forward_statements(lesson).items()
    return {name: text.removeprefix(f"{name} = ") for name, text in lines if text.startswith(f"{name} = ")}
