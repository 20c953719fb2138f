"""Who watches a run and who writes its pages: interfaces, so that grading does not depend on either."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from grader.gradebook.grading.graded import GradedSubmission
from grader.intake.submissions.roster import Attendance
from grader.lesson.lesson import Lesson
from grader.results import SubmissionResult


class RunListener(Protocol):
    """Is called as a run progresses. `started` may be called from any thread."""

    def planned(self, due: int, kept: int) -> None: ...

    def started(self, student: str) -> None: ...

    def result(self, results: SubmissionResult) -> None: ...


DRAWING = "drawing "
"""Begins the name, before a lesson's digest, under which the drawings of its graph are kept."""


class Publisher(Protocol):
    """Writes the pages about students and about the class. grader.publish.report.pages.Reporter is one."""

    def student_pages(self, graded: GradedSubmission, sources: Mapping[str, str]) -> dict[str, str]:
        """{file name: text} of what a student's folder holds next to results.json.

        `sources` are {lesson: the student's file}, from which the pages quote.
        """

    def new_drawings(self, every: bool = False) -> dict[str, str]:
        """{digest of a lesson: the drawings of its graph, as text} that were made since the last call.

        With `every`, the missing ones are made first. A publisher that gets them with `add_drawings` writes reports
        without torch, which takes seconds to load.
        """

    def add_drawings(self, drawings: Mapping[str, str]) -> None:
        """Use these drawings, of another publisher's `new_drawings`."""

    def class_pages(
        self,
        results: Sequence[SubmissionResult],
        lessons: Sequence[Lesson],
        attendance: Attendance | None = None,
        left_out: Sequence[str] = (),
        present: Collection[str] | None = None,
        worth: float | None = None,
    ) -> Iterator[tuple[str, str]]:
        """(file name, text) of grades.csv and index.html, over `results` and the members of the roster without any.

        `left_out` are lessons that no submission contains; `present` are the students of this run, where `results` has
        others, too. `worth` is the maximum of a student without any submission; None: the sum of the lessons' points.
        """
