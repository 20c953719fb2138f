"""An assignment: which rows count for how much, when it is due, and what late work costs. docs/assignments.md.

`parse_assignment` reads the text of an assignment file against the lessons of a course.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from grader.lesson.course_settings import NumericalDifferentiation, Shape
from grader.lesson.lesson import Lesson

Counts = Literal["best", "last", "last on time"]


@dataclass(frozen=True)
class LatePolicy:
    """What late work costs.

    Attributes:
        percent_per_day: of the points that the work has earned, for each day late or part of one.
        keep_at_least: percent of the points that late work keeps, however late it is.
        free_days: days of a term that cost nothing.
        hard_deadline: later work has no points; with a time zone.
    """

    percent_per_day: float = 0
    keep_at_least: float = 0
    free_days: int = 0
    hard_deadline: datetime | None = None


@dataclass(frozen=True)
class Assignment:
    """An assignment of a course.

    Attributes:
        rows: {lesson: {row: its points at most, weighted and scaled}}, in the course's order.
        due: with a time zone; None where there is no due date.
        counts: which attempt counts, for each lesson by itself.
        points: the sum of all rows' points.
        term: names of the other gradebooks that share the free late days, next to this one.
        text: the file that it was read from.
    """

    title: str
    rows: Mapping[str, Mapping[str, float]]
    due: datetime | None = None
    grace: timedelta = timedelta()
    late: LatePolicy = field(default_factory=LatePolicy)
    counts: Counts = "last"
    shape: Shape | None = None
    numerical_differentiation: NumericalDifferentiation | None = None
    term: tuple[str, ...] = ()
    text: str = ""

    @property
    def points(self) -> float:
        return sum(sum(rows.values()) for rows in self.rows.values())


def parse_assignment(text: str, path: Path, lessons: Sequence[Lesson]) -> Assignment:
    """Read the text of an assignment file. `path` is for messages; `lessons` are those of the course.

    Raises LessonError, in one sentence with the file and the key, where the text is not as docs/assignments.md says.
    """
    raise NotImplementedError


def read_assignment(path: Path, lessons: Sequence[Lesson]) -> Assignment:
    """Read an assignment file, see `parse_assignment`."""
    raise NotImplementedError
