"""An assignment: which rows count for how much, when it is due, and what late work costs.

docs/assignments.md describes the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

from grader.errors import LessonError
from grader.gradebook.assignment.rows import RowEntry, entries_of, row_points
from grader.lesson.config import NumericalDifferentiation, ShapeRule
from grader.lesson.lesson import Lesson
from grader.lesson.toml_tables import ABOVE_ZERO, parse_toml, read_lesson_text, setting
from grader.typed_json import data_text

ASSIGNMENT_FILE = "assignment.toml"
"""The assignment of a student's kit, next to exercises/."""
PERCENT = (lambda value: 0 <= value <= 100, "a number from 0 to 100")
LATE_DAYS = (lambda value: 0 <= value <= 366, "a whole number of days")
MINUTES = (lambda value: 0 <= value <= 1e7, "a number of minutes from 0 up")
DECIMALS = (lambda value: 0 <= value <= 6, "a number of decimals, 0 to 6")
NEED_DUE = ("timezone", "grace_minutes", "late")

CountingAttempt = Literal["best", "last", "last on time"]
NotebookRows = Literal["all rows", "its rows"]


def time_zone(name: str, path: Path) -> ZoneInfo:
    """The time zone of dates without an offset. Raises LessonError."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:  # KeyError: not known; OSError: "Europe" is a folder of zones
        meant = get_close_matches(name, available_timezones(), 1)
        hint = f"did you mean {meant[0]!r}?" if meant else 'expected a name such as "Europe/Zurich".'
        raise LessonError(f"{path}: timezone is {data_text(name)}, which is not known; {hint}") from error


@dataclass(frozen=True)
class LatePolicy:
    """What late work costs.

    Attributes:
        percent_per_day: of the points that the work has earned, for each day late or part of one.
        keep_at_least: percent of the points that late work keeps, however late it is.
        free_days: days of a term that cost nothing.
        hard_deadline: later work has no points; with a time zone.
        term: names of the other gradebooks that share the free late days, next to this one.
    """

    percent_per_day: float = setting(0, check=PERCENT)
    keep_at_least: float = setting(0, check=PERCENT)
    free_days: int = setting(0, check=LATE_DAYS)
    hard_deadline: datetime | None = None
    term: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChangedSettings:
    """The settings of course.toml that have another value in the assignment; None for the others."""

    shape: ShapeRule | None = None
    numerical_differentiation: NumericalDifferentiation | None = None


@dataclass(frozen=True)
class AssignmentFile:
    """What an assignment file says, key by key."""

    title: str = ""
    rows: Sequence[str | RowEntry] = ()
    due: datetime | None = None
    timezone: str | None = None
    grace_minutes: float = setting(0, check=MINUTES)
    counts: CountingAttempt = "last"
    points: float | None = setting(None, check=ABOVE_ZERO)
    round: int | None = setting(None, check=DECIMALS)
    late: LatePolicy = LatePolicy()
    notebook: NotebookRows = "all rows"
    settings: ChangedSettings = ChangedSettings()


@dataclass(frozen=True)
class Assignment:
    """An assignment of a course.

    Attributes:
        rows: {lesson: {row: its points at most, weighted and scaled}}, in the course's order.
        due: with a time zone; None where there is no due date.
        counts: which attempt counts, for each lesson by itself.
        notebook: the rows that count for a notebook: all, or those that the lecture's notebook has.
        settings: {setting of course.toml: the assignment's value}, for those that it sets.
        round: decimals of the points in grades.csv and exports; None: six at most.
        text: the file that it was read from.
    """

    title: str
    rows: Mapping[str, Mapping[str, float]]
    due: datetime | None = None
    grace: timedelta = timedelta()
    late: LatePolicy = field(default_factory=LatePolicy)
    counts: CountingAttempt = "last"
    notebook: NotebookRows = "all rows"
    settings: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    round: int | None = None

    @property
    def points(self) -> float:
        """The sum of all rows' points."""
        return sum(sum(rows.values()) for rows in self.rows.values())


def read_assignment(path: Path, lessons: Sequence[Lesson]) -> Assignment:
    """Read an assignment file, see `parse_assignment`. Raises LessonError, also for a file that cannot be read."""
    return parse_assignment(read_lesson_text(path), path, lessons)


def parse_assignment(text: str, path: Path, lessons: Sequence[Lesson]) -> Assignment:
    """Read the text of an assignment file. `path` is for messages; `lessons` are those of the course.

    Raises LessonError, in one sentence with the file and the key, where the text is not as docs/assignments.md says.
    """
    file: AssignmentFile = parse_toml(text, path, AssignmentFile)
    if not file.title.strip():
        raise LessonError(f'{path}: title is missing; expected a text, such as title = "Homework 2".')
    for key in NEED_DUE if file.due is None else ():
        if getattr(file, key) != getattr(AssignmentFile, key):
            raise LessonError(f"{path}: {key} needs a due date; add due = 2026-11-20T23:59:00+01:00, for example.")
    if file.counts == "last on time" and file.due is None:
        raise LessonError(f'{path}: counts = "last on time" needs a due date; add due.')
    zone = None if file.timezone is None else time_zone(file.timezone, path)
    due = in_zone(file.due, "due", zone, path)
    late = replace(file.late, hard_deadline=in_zone(file.late.hard_deadline, "hard_deadline", zone, path))
    check_late(late, due, path)
    rows = row_points(entries_of(file.rows, path), lessons, file.points, path)
    settings = {key: value for key, value in vars(file.settings).items() if value is not None}
    grace, title = timedelta(minutes=file.grace_minutes), " ".join(file.title.split())
    return Assignment(title, rows, due, grace, late, file.counts, file.notebook, settings, text, file.round)


def in_zone(date: datetime | None, key: str, zone: ZoneInfo | None, path: Path) -> datetime | None:
    """A date in the file's time zone, or with its own offset where the file has none. Raises LessonError."""
    if date is None:
        return None
    if date.tzinfo is not None:
        return date if zone is None else date.astimezone(zone)
    if zone is None:
        raise LessonError(
            f"{path}: {key} has no time zone; add one, such as {key} = 2026-11-20T23:59:00+01:00, or write "
            'timezone = "Europe/Zurich" at the top.'
        )
    return date.replace(tzinfo=zone)


def check_late(late: LatePolicy, due: datetime | None, path: Path) -> None:
    """Refuse what does not go together in [late]. Raises LessonError."""
    if late.free_days and not late.percent_per_day:
        raise LessonError(
            f"{path}: [late] free_days needs percent_per_day, the cost of a day after the free ones; 100 means "
            "that such work has no points."
        )
    for name in late.term:
        if not late.free_days or name != Path(name).name or name in ("", ".", ".."):
            raise LessonError(
                f"{path}: [late] term has {data_text(name)}; expected names of folders next to this "
                "gradebook, which share its free_days."
            )
    if late.hard_deadline is not None and due is not None and late.hard_deadline < due:
        raise LessonError(f"{path}: [late] hard_deadline is before due; expected the same time or a later one.")
