"""The rows of an assignment: patterns such as `03`, `03.d*` or `0[2-5]`, and what each row is worth."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path

from grader.errors import LessonError
from grader.lesson.lesson import Lesson
from grader.lesson.toml_tables import ABOVE_ZERO, FROM_ZERO, NOT_IN_THE_FILE, setting
from grader.questions.question import DEFENCE_ROW, is_question, questions_of

DEFENCE_POINTS = 6
MISSPELT = 0.5
"""The least closeness, as in difflib, of a pattern to the name that may have been meant by it."""


@dataclass(frozen=True)
class RowEntry:
    """One entry of `rows`: a pattern, and a weight or the points that the pattern's rows have together.

    `place` is where it is written, for messages.
    """

    rows: str = ""
    weight: float | None = setting(None, check=FROM_ZERO)
    points: float | None = setting(None, check=ABOVE_ZERO)
    place: str = field(default="", metadata=NOT_IN_THE_FILE)


def entries_of(rows: Sequence[str | RowEntry], path: Path) -> list[RowEntry]:
    """The entries of the key `rows`. Raises LessonError."""
    found = list[RowEntry]()
    for number, each in enumerate(rows, 1):
        place = f"rows, entry {number}"
        entry = RowEntry(each, place=place) if isinstance(each, str) else replace(each, place=place)
        if not entry.rows:
            raise LessonError(f'{path}: [{place}] needs rows, such as {{rows = "03", weight = 2}}.')
        if entry.weight is not None and entry.points is not None:
            raise LessonError(f"{path}: [{place}] has a weight and points; give one of them.")
        found.append(entry)
    if not found:
        raise LessonError(f'{path}: rows is missing; give the rows that count, such as rows = ["03", "04.dlogits"].')
    return found


def row_points(
    entries: Sequence[RowEntry], lessons: Sequence[Lesson], total: float | None, path: Path
) -> dict[str, dict[str, float]]:
    """{lesson: {row: its points}}, in the order of `lessons`; scaled to the sum `total` unless that is None.

    An entry that names rows has precedence over one that names lessons, and a later entry over an earlier one of the
    same kind. Raises LessonError for a pattern that matches nothing, or that no row is left for.
    """
    chosen: dict[tuple[str, str], RowEntry] = {}
    for entry in sorted(entries, key=lambda entry: "." in entry.rows):  # stable: otherwise in the file's order
        for key in matching_rows(entry, lessons, path):
            chosen[key] = entry
    usual = {(lesson.name, row): points for lesson in lessons for row, points in usual_points(lesson).items()}
    sums = dict.fromkeys(entries, 0.0)
    for key, entry in chosen.items():
        sums[entry] += usual[key]
    for entry, points in sums.items():
        if (entry.weight, entry.points) != (None, None) and not points:
            raise LessonError(
                f"{path}: [{entry.place}] {entry.rows!r} has no effect: other entries set the weights of all its "
                "rows. Remove it, or write it after them."
            )
    worth = {
        key: usual[key] * (entry.points / sums[entry] if entry.points else 1 if entry.weight is None else entry.weight)
        for key, entry in chosen.items()
    }
    whole = sum(worth.values())
    if not whole:
        raise LessonError(f"{path}: no row has points: every weight is 0.")
    factor = 1 if total is None else total / whole
    found: dict[str, dict[str, float]] = {}
    for lesson, row in usual:
        if (lesson, row) in worth:
            found.setdefault(lesson, {})[row] = worth[lesson, row] * factor
    return found


def usual_points(lesson: Lesson) -> dict[str, float]:
    """{row: its points where an assignment gives no weight}: the lesson's items, its questions, and a defence."""
    items = {item.name: item.points for item in lesson.items}
    questions = {question.row: question.points for question in questions_of(lesson).values()}
    return items | questions | {DEFENCE_ROW: DEFENCE_POINTS}


def matching_rows(entry: RowEntry, lessons: Iterable[Lesson], path: Path) -> list[tuple[str, str]]:
    """(lesson, row) of all rows that the entry's pattern matches. Raises LessonError where there is none.

    Only a pattern such as `03.q:*` matches questions: `03` and `03.*` mean what they meant before there were any. Only
    `03.q:defence` matches the defence of a lesson.
    """
    lesson_pattern, dot, row_pattern = entry.rows.partition(".")
    matched = [
        lesson for lesson in lessons if any(fnmatchcase(name, lesson_pattern) for name in names_of_lesson(lesson.name))
    ]
    if not matched:
        has_digits_only = lesson_pattern.isdigit()  # one number is as close to a wrong one as another
        names = [] if has_digits_only else [name for lesson in lessons for name in names_of_lesson(lesson.name)]
        raise LessonError(
            nothing_matches(path, entry, "lesson", lesson_pattern, names, [each.name for each in lessons])
        )
    rows = [(lesson.name, item.name) for lesson in matched for item in lesson.items]
    if not dot:
        return rows
    if row_pattern == DEFENCE_ROW:
        rows = [(lesson.name, DEFENCE_ROW) for lesson in matched]
    elif is_question(row_pattern):
        rows = [(lesson.name, question.row) for lesson in matched for question in questions_of(lesson).values()]
    found = [(lesson, row) for lesson, row in rows if fnmatchcase(row, row_pattern)]
    if not found:
        names = list(dict.fromkeys(row for _, row in rows)) or ["no questions"]
        raise LessonError(nothing_matches(path, entry, f"row of {matched[0].name}", row_pattern, names, names))
    return found


def names_of_lesson(name: str) -> tuple[str, ...]:
    """What people may call a lesson: 03_makemore_steps, 03, 3, makemore_steps."""
    number, _, rest = name.partition("_")
    return (name, number, number.lstrip("0") or number, rest or name)


def nothing_matches(
    path: Path, entry: RowEntry, kind: str, pattern: str, close_to: Sequence[str], names: Collection[str]
) -> str:
    meant = get_close_matches(pattern, close_to, 1, MISSPELT)
    hint = f"did you mean {meant[0]!r}?" if meant else f"there are: {', '.join(names)}."
    return f"{path}: [{entry.place}] {entry.rows!r}: no {kind} matches {pattern!r}; {hint}"
