"""The current results of a class, in little memory: what the class pages and grades.csv read, kept during a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from grader.results import Row, SubmissionResult

NO_FIGURES: dict[str, Any] = dict.fromkeys(("exact", "approximate", "maxdiff", "ulps", "relative_error", "shape"))


def score_or_none(results: SubmissionResult) -> float | None:
    """A student's score; None for one who has none, which is not a zero."""
    has_none = results.status in ("error", "nothing", "unclear") or results.excused is not None
    return None if has_none else results.score


class ClassResults(Sequence[SubmissionResult]):
    """The results of each student, in order of name.

    They lack what only a student's own pages show: figures, shapes, the lessons' times, seed and environment. Equal
    rows are one shared object: do not change them.
    """

    def __init__(self) -> None:
        self._by_student: dict[str, SubmissionResult] = {}
        self._in_order: list[SubmissionResult] = []
        self._rows: dict[str, Row] = {}

    def add(self, results: SubmissionResult) -> None:
        """Add a student's results, or replace them, reduced to what class pages and grades.csv read."""
        lessons = []
        for lesson in results.lessons:
            rows = [replace(row, **NO_FIGURES, expected_shape=[]) for row in lesson.rows]
            lessons.append(replace(lesson, seconds=0, rows=[self._rows.setdefault(repr(row), row) for row in rows]))
        reduced = replace(results, submission_sha256="", seed=0, environment={}, lessons=lessons)
        self._by_student[results.student], self._in_order = reduced, []

    @property
    def _sorted(self) -> list[SubmissionResult]:
        if not self._in_order:
            self._in_order = sorted(self._by_student.values(), key=lambda each: each.student.lower())
        return self._in_order

    def __getitem__(self, place: Any) -> Any:
        return self._sorted[place]

    def __len__(self) -> int:
        return len(self._by_student)

    def __iter__(self) -> Iterator[SubmissionResult]:
        return iter(self._sorted)
