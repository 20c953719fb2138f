"""Attempts, decisions and assignments made by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from made_results import lesson, results, row

from grader.gradebook.assignment.config import Assignment
from grader.gradebook.records import Attempt, Decision
from grader.results import LessonResult

DUE = datetime(2026, 11, 20, 23, 59, tzinfo=UTC)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def lesson_with(name: str, *points: float) -> LessonResult:
    """A lesson with rows r0, r1, ... of one point each, of which the student has these."""
    rows = [
        row(f"r{number}", "passed" if share == 1 else "failed", points=share) for number, share in enumerate(points)
    ]
    return lesson(name, *rows)


def attempt(id: int, late: timedelta | None, *lessons: LessonResult, **more: Any) -> Attempt:
    """An attempt that was submitted so long after DUE; None: at an unknown time. It was graded long before DUE."""
    made = results("Ada", *lessons, **{"submission_sha256": f"{id:064x}"} | more)
    return Attempt(id, "Ada", None if late is None else DUE + late, LONG_AGO + id * HOUR, made)


def unknown(id: int, *lessons: LessonResult, **more: Any) -> Attempt:
    """An attempt at an unknown time, graded long after DUE."""
    return replace(attempt(id, None, *lessons, **more), graded=DUE + 60 * DAY + id * HOUR)


def decision(id: int, kind: Any, row: str | None = None, **more: Any) -> Decision:
    return Decision(id, "Ada", kind, "grace@school.edu", LONG_AGO + id * HOUR, row, **more)


def homework(rows: dict[str, int] | None = None, worth: float = 1, title: str = "Homework", **more: Any) -> Assignment:
    """An assignment that is due at DUE: {lesson: number of its rows}, each row worth so many points."""
    numbers = {"03_a": 2, "04_b": 2} if rows is None else rows
    worths = {name: {f"r{number}": worth for number in range(count)} for name, count in numbers.items()}
    return Assignment(title, worths, **{"due": DUE} | more)
