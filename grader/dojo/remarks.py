"""What an editor shows in a lesson's backward.py: remarks under wrong lines, and what is known of a name.

Nothing here knows the language server protocol; lines count from 1, as in the rest of this program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grader.dojo.checked import Checked
from grader.dojo.file import Outline
from grader.lesson.forward_statements import forward_lines, forward_statements
from grader.lesson.lesson import Lesson
from grader.publish.inert import inert, markdown
from grader.results.wording import format_shape

NAME_AT_CURSOR = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Remark:
    """A message under a line; `mistake` is the known mistake's id, or the row's status."""

    line: int
    message: str
    mistake: str


def remarks(checked: Checked) -> list[Remark]:
    """One remark per mistake, under the line that is wrong."""
    if not checked.judged.runs:
        row = checked.judged.rows[0]
        return [Remark(row.line or 1, inert(checked.judged.message or "The file does not run."), row.status)]
    outline, found = Outline(checked.source.encode()), []
    for group in checked.part.wrong_groups:
        row = group[0].row
        item = checked.lesson.item_for(row.name)
        line = row.line if row.line not in (None, outline.line(item)) else outline.last_return(item)
        names = ", ".join(each.row.name for each in group)
        mistake = row.mistake.id if row.mistake is not None else row.status
        found.append(Remark(line or 1, inert(f"{names}: {group[0].message or group[0].word}"), mistake))
    return found


def problem_lines(checked: Checked) -> list[str]:
    """Each remark as `file:line: message` on one line, which editors and `make` read."""
    return [
        f"{checked.submitted.shown}:{each.line}: {' '.join(inert(each.message).split())}" for each in remarks(checked)
    ]


def hover(lesson: Lesson, line: str, column: int, checked: Checked | None) -> str:
    """What is known of the name at a column of a line, as Markdown; "" for a name that is not the lesson's."""
    name = next((each[0] for each in NAME_AT_CURSOR.finditer(line) if each.start() <= column <= each.end()), "")
    if not lesson.gradients:
        return ""
    if name.startswith("d") and name[1:] in lesson.public.graph.names:
        return "\n\n".join(about_gradient(lesson, name, checked))
    values, statements = lesson.public.values, forward_statements(lesson)
    if name not in values:
        return ""
    shown = f"**{name}** {value_phrase(values[name])}"
    return f"{shown}\n\n```python\n{statements[name]}\n```" if name in statements else shown


def about_gradient(lesson: Lesson, name: str, checked: Checked | None) -> Iterator[str]:
    """Its shape, the forward lines, the upstream gradients and the last verdict."""
    target, graph = name[1:], lesson.public.graph
    yield f"**{name}** the gradient with respect to `{target}`, {value_phrase(graph.values[target])}"
    if lines := forward_lines(lesson, target):
        yield "Where the forward pass reads it:\n\n```python\n" + "\n".join(lines) + "\n```"
    if above := graph.consumers.get(target):
        each = ", ".join(f"`d{consumer}`, {value_phrase(graph.values[consumer])}" for consumer in above)
        yield f"Upstream: {each}"
    rows = checked.part.lines if checked is not None and checked.judged.runs else []
    for row in rows:
        if row.row.name == name:
            yield f"At the last save: **{row.label}**{f'. {markdown(row.message)}' if row.message else ''}"


def value_phrase(value: Any) -> str:
    return f"shape `{format_shape(tuple(value.shape))}`" if hasattr(value, "shape") else f"`{value!r}`"
