"""The result of one check, with its progress and its words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from grader.dojo.file import location, outline_of_text
from grader.dojo.progress import BROKEN_FILE_STATUS, Progress
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.view import LessonView, lesson_view
from grader.results import LessonResult, number

if TYPE_CHECKING:  # torch comes with these
    from grader.dojo.public_suite import StepAnswers
    from grader.gradebook.grading.one_file import JudgedFile
    from grader.results import Row


@dataclass(frozen=True)
class Checked:
    """The result of one check."""

    lesson: Lesson
    submitted: LessonFiles
    judged: JudgedFile
    seconds: float
    taught: frozenset[str] = frozenset()
    assigned: Collection[str] | None = None
    own: StepAnswers | None = None
    """What the student's functions returned on the published problem; None where the file does not run."""

    @property
    def progress(self) -> Progress:
        runs = self.judged.runs
        statuses = {row.name: row.status if runs else BROKEN_FILE_STATUS for row in self.judged.rows}
        return Progress(self.lesson, statuses, self.taught, self.assigned)

    @cached_property
    def part(self) -> LessonView:
        """The result in words."""
        judged, progress = self.judged, self.progress
        score, most = number(progress.points_reached), number(progress.max_score)
        rows = [row.with_clean_values() for row in judged.rows]
        result = LessonResult(self.lesson.name, score, most, message=judged.message, seconds=self.seconds, rows=rows)
        texts = self.submitted.origin.texts if self.submitted.origin else {}
        return lesson_view(result, self.lesson, self.source, texts, judged.pictures, "\n".join(judged.shown))

    @property
    def lesson_rows(self) -> list[str]:
        return [row.name for row in self.judged.rows]

    @property
    def source(self) -> str:
        return self.submitted.files[BACKWARD_FILE].decode("utf-8-sig", "replace")

    def text_of(self, row: Row) -> str:
        """The text to which a row's line numbers refer: a notebook's cell, or the file."""
        texts = self.submitted.origin.texts if self.submitted.origin else {}
        return texts.get(row.file or "", self.source)

    @property
    def next_place(self) -> str:
        """The location of the next row to fix or write; for a file that does not run, where it stops."""
        name, origin = self.progress.next_row, self.submitted.origin
        if not self.judged.runs or name is None:
            row = self.judged.rows[0]
            return location(row.file or self.submitted.shown, row.line)
        line = outline_of_text(self.submitted.files[BACKWARD_FILE]).line(self.lesson.item_for(name))
        if origin is None:
            return location(self.submitted.shown, line)
        return location(*(origin.rows.get(name) or origin.place(line) or (self.submitted.shown, None)))
