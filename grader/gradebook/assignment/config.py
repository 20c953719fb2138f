"""An assignment: which rows count for how much, when it is due, what late work costs and which defence it needs.

docs/assignments.md describes the file.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from grader.errors import LessonError
from grader.gradebook.assignment.rows import entries_in, names_of_lesson, row_points
from grader.lesson.config import CourseSettings
from grader.lesson.lesson import Lesson
from grader.lesson.toml_tables import ABOVE_ZERO, Table, parse_toml, read_lesson_text, toml_value_text

Policy = Literal["warn", "cap"]
DEFENCE_KEYS = ("lessons", "right", "policy", "keep_at_most")
FULL_SHEET = 6
"""Questions of a full sheet. Of a shorter one the same share must be right."""
PERCENT = (lambda value: 0 <= value <= 100, "a number from 0 to 100")


class DefencePolicy(NamedTuple):
    """The defence that a lesson needs.

    Attributes:
        right: how many of the questions of a full sheet must be right.
        policy: "warn" reports a lesson without it; "cap" also limits its points.
        keep_at_most: percent of the lesson's points that count without it.
    """

    right: int
    policy: Policy
    keep_at_most: float


def defence_policies(table: Table, lessons: Collection[Lesson], rows: Mapping[str, object]) -> dict[str, DefencePolicy]:
    """{lesson: what the table [defence] demands}, for lessons of the assignment, whose `rows` count. LessonError."""
    right = table.value("right", int, check=(lambda value: 1 <= value <= FULL_SHEET, "a whole number from 1 to 6"))
    if right is None:
        raise LessonError(
            f"{table.path}: [defence] needs right, the number of right answers of six, such as right = 4."
        )
    policy: Policy = table.value("policy", Policy, "warn")
    if policy == "warn" and "keep_at_most" in table:
        raise LessonError(f'{table.path}: [defence] keep_at_most has no effect without policy = "cap"; add it.')
    most = table.value("keep_at_most", float, 0, PERCENT)
    known = {name: lesson.name for lesson in lessons for name in names_of_lesson(lesson.name)}
    chosen = table.value("lessons", tuple[str, ...]) or list(rows)
    for name in chosen:
        if known.get(name) not in rows:
            raise LessonError(
                f"{table.path}: [defence] lessons has {toml_value_text(name)}, which this assignment does not contain; "
                f"there are: {', '.join(rows)}."
            )
    return {known[name]: DefencePolicy(right, policy, most) for name in chosen}


ASSIGNMENT_FILE = "assignment.toml"
"""The assignment of a student's kit, next to exercises/."""

CountingAttempt = Literal["best", "last", "last on time"]
NotebookRows = Literal["all rows", "its rows"]

ASSIGNMENT_KEYS = (
    "title",
    "rows",
    "due",
    "timezone",
    "grace_minutes",
    "counts",
    "points",
    "round",
    "late",
    "defence",
    "notebook",
    "settings",
)
LATE_KEYS = ("percent_per_day", "keep_at_least", "free_days", "hard_deadline", "term")
NEED_DUE = ("timezone", "grace_minutes", "late")
MAX_FREE_DAYS = 366
MAX_DECIMALS = 6


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

    percent_per_day: float = 0
    keep_at_least: float = 0
    free_days: int = 0
    hard_deadline: datetime | None = None
    term: tuple[str, ...] = ()


@dataclass(frozen=True)
class Assignment:
    """An assignment of a course.

    Attributes:
        rows: {lesson: {row: its points at most, weighted and scaled}}, in the course's order.
        due: with a time zone; None where there is no due date.
        counts: which attempt counts, for each lesson by itself.
        defence: {lesson: the defence that it needs}.
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
    defence: Mapping[str, DefencePolicy] = field(default_factory=dict)
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
    file = parse_toml(text, path, ASSIGNMENT_KEYS)
    title = file.value("title", str, "")
    if not title.strip():
        raise LessonError(f'{path}: title is missing; expected a text, such as title = "Homework 2".')
    zone = time_zone(file)
    due = date_of(file, "due", zone)
    for key in NEED_DUE if due is None else ():
        if key in file:
            raise LessonError(f"{path}: {key} needs a due date; add due = 2026-11-20T23:59:00+01:00, for example.")
    grace = file.value("grace_minutes", float, 0, (lambda value: value >= 0, "a number of minutes from 0 up"))
    counts: CountingAttempt = file.value("counts", CountingAttempt, "last")
    if counts == "last on time" and due is None:
        raise LessonError(f'{path}: counts = "last on time" needs a due date; add due.')
    points = file.value("points", float, check=ABOVE_ZERO)
    settings = file.table("settings")
    chosen = settings.record(CourseSettings, question_seed=0)
    rows = row_points(entries_in(file), lessons, points, path)
    return Assignment(
        " ".join(title.split()),
        rows,
        due,
        minutes(grace, path),
        late_policy(file.table("late", LATE_KEYS), due, zone),
        counts,
        defence_policies(file.table("defence", DEFENCE_KEYS), lessons, rows) if "defence" in file else {},
        file.value("notebook", NotebookRows, "all rows"),
        {key: getattr(chosen, key) for key in settings},
        text,
        file.value("round", int, check=(lambda value: 0 <= value <= MAX_DECIMALS, "a number of decimals, 0 to 6")),
    )


def late_policy(table: Table, due: datetime | None, zone: tzinfo | None) -> LatePolicy:
    """The table [late]. Raises LessonError."""
    free_days = table.value("free_days", int, 0, (lambda value: 0 <= value <= MAX_FREE_DAYS, "a whole number of days"))
    if free_days and "percent_per_day" not in table:
        raise LessonError(
            f"{table.path}: [late] free_days needs percent_per_day, the cost of a day after the free ones; 100 means "
            "that such work has no points."
        )
    term = table.value("term", tuple[str, ...], ())
    for name in term:
        if not free_days or name != Path(name).name or name in ("", ".", ".."):
            raise LessonError(
                f"{table.path}: [late] term has {toml_value_text(name)}; expected names of folders next to this "
                "gradebook, which share its free_days."
            )
    deadline = date_of(table, "hard_deadline", zone)
    if deadline is not None and due is not None and deadline < due:
        raise LessonError(f"{table.path}: [late] hard_deadline is before due; expected the same time or a later one.")
    lost, kept = (table.value(key, float, 0, PERCENT) for key in ("percent_per_day", "keep_at_least"))
    return LatePolicy(lost, kept, free_days, deadline, term)


def minutes(number: float, path: Path) -> timedelta:
    try:
        return timedelta(minutes=number)
    except OverflowError as error:
        raise LessonError(
            f"{path}: grace_minutes is {toml_value_text(number)}; expected a number of minutes."
        ) from error


def time_zone(file: Table) -> ZoneInfo | None:
    """The time zone of dates without an offset. Raises LessonError."""
    name = file.value("timezone", str)
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:  # KeyError: not known; OSError: "Europe" is a folder of zones
        meant = get_close_matches(name, available_timezones(), 1)
        hint = f"did you mean {meant[0]!r}?" if meant else 'expected a name such as "Europe/Zurich".'
        raise LessonError(f"{file.path}: timezone is {toml_value_text(name)}, which is not known; {hint}") from error


def date_of(table: Table, key: str, zone: tzinfo | None) -> datetime | None:
    """A date and time in `zone`, or with its own offset where there is no zone. Raises LessonError."""
    example = f"{key} = 2026-11-20T23:59:00+01:00"
    words = f"a date and time without quotes, such as {example}"
    found: datetime | None = table.value(key, Any, check=(lambda value: isinstance(value, datetime), words))
    if found is None or found.tzinfo is not None:
        return found if found is None or zone is None else found.astimezone(zone)
    if zone is None:
        raise LessonError(
            f'{table.path}: {key} has no time zone; add one, such as {example}, or write timezone = "Europe/Zurich" at '
            "the top."
        )
    return found.replace(tzinfo=zone)
