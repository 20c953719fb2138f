"""A student's first steps: what to read before the first check, and what to do next until a few rows are right."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from grader.dojo.desk import Checked
from grader.dojo.overview import Paragraph
from grader.lesson.lesson import Lesson

ROWS_BEFORE_THE_GUIDE_ENDS = 3
"""Rows that are right, after which the guide ends."""


class Guide:
    """What to do now, from what is right and wrong. It does not come back once it has ended."""

    def __init__(self) -> None:
        self._is_over = False

    def lines(self, checked: Checked | None) -> list[RenderableType]:
        if self._is_over or checked is None:
            return []
        self._is_over = len(checked.progress.reached) >= ROWS_BEFORE_THE_GUIDE_ENDS
        return ["", *steps(checked)]


def steps(checked: Checked) -> Iterator[RenderableType]:
    progress, row = checked.progress, checked.progress.next_row
    if not checked.judged.runs:
        yield step(2, "Python cannot read the file. Correct the line that is shown above, and save again.")
    elif progress.wrong:
        yield step(
            2,
            f"{progress.wrong[0]} is not right yet. Read the message and compare it with the forward line. h gives a "
            "hint, and one more each time. Correct your line and save again.",
        )
    elif not progress.reached and row is not None:
        yield step(
            1,
            f"Open {checked.next_place} in your editor, next to this window. Write {row} there: replace `raise "
            "NotImplementedError` by `return` and your formula. Then save: nothing else is needed.",
        )
    elif len(progress.reached) < ROWS_BEFORE_THE_GUIDE_ENDS:
        yield step(
            3,
            f"{progress.reached[-1]} is right. The word (right, wrong) is the verdict on your line. The mark after it "
            "is the verdict on your whole chain, from the loss to this line."
            + (f" Go on with {row} at {checked.next_place}." if row else ""),
        )
    else:
        yield step(3, "That is all: write, save, read. n goes to the next lesson, q quits, `dojo watch` continues.")


def step(number: int, text: str) -> RenderableType:
    return Paragraph(Text.assemble((f"Step {number} of 3: ", "bold magenta"), text))


def welcome(lesson: Lesson, readme: str, file: str) -> Iterator[RenderableType]:
    """What is read before the first check."""
    yield Text(f"Lesson {lesson.number}: {lesson.title}", "bold")
    yield ""
    yield Paragraph(f"1. Read {readme}. It teaches what you need and works out one gradient in full.")
    yield Paragraph(f"2. Open {file} in your editor. You write one function for each gradient.")
    yield Paragraph("3. Keep this window next to it. It checks the file whenever you save, and says what is wrong.")
