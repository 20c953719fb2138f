"""What an editor shows in a lesson's backward.py: remarks under wrong lines, hovers, a line above each function.

Nothing here knows the language server protocol; lines count from 1, as in the rest of this program.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grader.dojo.desk import Checked
from grader.dojo.file import HERE, HIDDEN
from grader.lesson.forward_statements import forward_lines, forward_statements
from grader.lesson.lesson import Item, Lesson
from grader.publish.inert import inert, markdown
from grader.publish.view import RowView
from grader.results import UNWRITTEN
from grader.results.wording import format_shape
from grader.source.parsing import parse_submitted

NAME_AT_CURSOR = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Remark:
    """A message under a line; `mistake` is the known mistake's id, or ""."""

    line: int
    message: str
    mistake: str


@dataclass(frozen=True)
class FunctionLine:
    """What is written above a function: `title`, and the row whose next hint it offers, or ""."""

    line: int
    title: str
    row: str


def remarks(checked: Checked) -> list[Remark]:
    """One remark per mistake, under the line that is wrong."""
    source = checked.source
    if not checked.judged.runs:
        row = checked.judged.rows[0]
        return [Remark(row.line or 1, inert(checked.judged.message or "The file does not run."), row.status)]
    nodes = nodes_by_name(source)
    found = []
    for group in checked.part.wrong_groups:
        row = group[0].row
        node = nodes.get(checked.lesson.item_for(row.name).function)
        is_known = row.line is not None and (node is None or row.line != node.lineno)
        line = (row.line if is_known else returning_line(node)) or 1
        names = ", ".join(each.row.name for each in group)
        mistake = row.mistake.id if row.mistake is not None else row.status
        found.append(Remark(line, inert(f"{names}: {group[0].message or group[0].word}"), mistake))
    return found


def problem_lines(checked: Checked) -> list[str]:
    """Each remark as `file:line: message` on one line, which editors and `make` read."""
    return [
        f"{checked.submitted.shown}:{each.line}: {' '.join(inert(each.message).split())}" for each in remarks(checked)
    ]


def nodes_by_name(source: str) -> dict[str, ast.FunctionDef | ast.ClassDef]:
    tree = parse_submitted(source)
    body = [] if tree is None else tree.body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def returning_line(node: ast.AST | None) -> int | None:
    """The line of a function's last `return`, else its first line."""
    if node is None:
        return None
    lines = [each.lineno for each in ast.walk(node) if isinstance(each, ast.Return)]
    return max(lines, default=getattr(node, "lineno", None))


def function_lines(
    lesson: Lesson, source: str, checked: Checked | None, hints: Mapping[str, int]
) -> list[FunctionLine]:
    """The verdict and the next hint of each function; `hints` are {row: how many were taken}."""
    rows = {line.row.name: line for line in checked.part.lines} if checked is not None and checked.judged.runs else {}
    found = []
    for name, node in nodes_by_name(source).items():
        items = [item for item in lesson.items if item.function == name]
        if items:
            item = next((each for each in items if is_unsolved(rows.get(each.name))), items[0])
            parts = [verdict_word(rows.get(item.name)), hint_word(item, hints.get(item.name, 0))]
            title = " · ".join(part for part in parts if part)
            if title:
                found.append(FunctionLine(node.lineno, title, item.name if item.hints else ""))
    return found


def is_unsolved(line: RowView | None) -> bool:
    return line is not None and line.row.status not in ("passed", HERE, HIDDEN)


def verdict_word(line: RowView | None) -> str:
    if line is None:
        return ""
    sign = "✓" if not is_unsolved(line) else "·" if line.row.status in UNWRITTEN else "✗"
    return f"{sign} {line.label}"


def hint_word(item: Item, taken: int) -> str:
    if not item.hints:
        return ""
    return f"hint {taken + 1} of {len(item.hints)}" if taken < len(item.hints) else "the last hint again"


def hover(lesson: Lesson, source: str, line: int, column: int, checked: Checked | None) -> str | None:
    """What is known of the name at a place, as Markdown: shape, forward line, upstream gradient. None for others."""
    texts = source.splitlines()
    text = texts[line - 1] if 0 < line <= len(texts) else ""
    name = next((each[0] for each in NAME_AT_CURSOR.finditer(text) if each.start() <= column <= each.end()), None)
    if name is None or not lesson.gradients:
        return None
    values = lesson.public.values
    if name.startswith("d") and name[1:] in lesson.public.graph.names:
        return "\n\n".join(about_gradient(lesson, name, checked))
    return "\n\n".join(about_value(lesson, name, values[name])) if name in values else None


def about_gradient(lesson: Lesson, name: str, checked: Checked | None) -> Iterator[str]:
    target = name[1:]
    graph = lesson.public.graph
    yield f"**{name}** the gradient with respect to `{target}`, shape `{tensor_shape_text(graph.values[target])}`"
    if lines := forward_lines(lesson, target):
        yield "Where the forward pass reads it:\n\n```python\n" + "\n".join(lines) + "\n```"
    if above := graph.consumers.get(target):
        each = ", ".join(f"`d{consumer}` `{tensor_shape_text(graph.values[consumer])}`" for consumer in above)
        yield f"Upstream gradient{'s' if len(above) > 1 else ''}: {each}"
    rows = checked.part.lines if checked is not None and checked.judged.runs else []
    row = next((each for each in rows if each.row.name == name), None)
    if row is not None:
        yield f"At the last save: **{row.label}**{f'. {markdown(row.message)}' if row.message else ''}"


def about_value(lesson: Lesson, name: str, value: Any) -> Iterator[str]:
    graph = lesson.public.graph
    is_tensor = hasattr(value, "shape")
    shown = f"shape `{tensor_shape_text(value)}`" if is_tensor else f"`{value!r}` in the lecture's problem"
    yield f"**{name}** {'an input' if name in graph.inputs else 'a forward value'}, {shown}"
    if name in (statements := forward_statements(lesson)):
        yield f"```python\n{statements[name]}\n```"
    if name in graph.names and lesson.public.graph.consumers.get(name):
        above = ", ".join(f"`d{consumer}`" for consumer in graph.consumers[name])
        yield f"Its gradient is `d{name}`, from the upstream gradient{'s' if ',' in above else ''} {above}."


def tensor_shape_text(value: Any) -> str:
    return format_shape(tuple(value.shape)) if hasattr(value, "shape") else "()"
