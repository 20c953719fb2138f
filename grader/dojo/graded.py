"""What `dojo grade` prints about a lesson that the hidden suite has judged."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from grader.dojo.overview import INDENT, Paragraph
from grader.lesson.lesson import Lesson
from grader.publish.inert import inert
from grader.results import UNWRITTEN, WORDS, LessonResult, points_text
from grader.results.wording import first_names


def graded_screen(lesson: Lesson, result: LessonResult) -> Iterator[RenderableType]:
    """The points, each row that is wrong with its message, and what is not written."""
    full = result.score >= result.max_score
    yield Text.assemble(
        (f"{lesson.number} {lesson.title}", "bold"),
        "\n",
        (
            f"{points_text(result.score)} of {points_text(result.max_score)} points from the hidden suite",
            "bold green" if full else "bold",
        ),
    )
    if result.message:
        yield Paragraph(inert(result.message), "yellow")
    for row in result.rows:
        if row.status != "passed" and row.status not in UNWRITTEN:
            yield Text(f"✗ {row.name} {WORDS[row.status]}", "bold red")
            yield Paragraph(inert(row.message or f"It is {WORDS[row.status]}."), indent=INDENT)
    if unwritten := [row.name for row in result.rows if row.status in UNWRITTEN]:
        yield Paragraph(f"{len(unwritten)} not written yet: {first_names(unwritten)}", "dim")
