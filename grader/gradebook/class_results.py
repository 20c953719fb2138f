"""The current results of a class, in little memory: what the class pages and grades.csv read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from grader.results import Row, SubmissionResult

NO_FIGURES: dict[str, Any] = dict.fromkeys(("exact", "approximate", "maxdiff", "ulps", "relative_error", "shape"))


def reduced_results(every: Iterable[SubmissionResult]) -> list[SubmissionResult]:
    """The results of each student, in order of name, without what only a student's own pages show.

    That is figures, shapes, the lessons' times, seed and environment. Equal rows are one shared object: do not change
    them.
    """
    found, shared = list[SubmissionResult](), dict[str, Row]()
    for results in every:
        lessons = []
        for lesson in results.lessons:
            rows = [replace(row, **NO_FIGURES, expected_shape=[]) for row in lesson.rows]
            lessons.append(replace(lesson, seconds=0, rows=[shared.setdefault(repr(row), row) for row in rows]))
        found.append(replace(results, submission_sha256="", seed=0, environment={}, lessons=lessons))
    return sorted(found, key=lambda each: each.student.lower())
