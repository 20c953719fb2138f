"""CSV for the grade books of Canvas and Moodle, with scores scaled to the maxima that a platform gives to its columns.

Canvas knows students by ID, SIS User ID or SIS Login ID, not by name, and an assignment by its column's name, as in
its own export: "Lesson 03 (98765)". https://community.canvaslms.com (How do I import grades in the Gradebook?)

Moodle has the grading worksheet of an assignment (one Grade column), or the grade book's import (any columns). The
worksheet knows students by Identifier, the grade book by what is chosen there, such as the e-mail address.
https://docs.moodle.org/en/Grade_import. Moodle refuses a worksheet that has lost its column of dates
(mod/assign/feedback/offline/importgradeslib.php), so a whole worksheet keeps all of its columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.errors import UserError
from grader.intake.submissions.roster import Member, Roster
from grader.publish.export.marks import TOTAL, Marks, Platform, as_csv, lesson_named
from grader.results import number, points_text

MAXIMUM = "maximum grade"
"""The column of Moodle's grading worksheet that has the assignment's maximum."""


def points_in_cell(cell: str) -> float | None:
    """A positive number as a platform writes it: "100.00", "100,00", "1,000"; None for anything else."""
    text = re.sub(r"\s", "", cell)
    if re.fullmatch(r"([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),([0-9]{1,2}|[0-9]{4,})", text):  # a decimal comma
        text = text.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?", text):
        text = text.replace(",", "")
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", text):
        return None
    return float(text) or None


def worksheet_maximum(roster: Roster) -> float | None:
    """The maximum in a Moodle worksheet; None where the roster is not one. Raises UserError for several maxima."""
    column = next((name for name in roster.columns if name.lower() == MAXIMUM), None)
    if column is None:
        return None
    cells = {cell for member in roster.members if (cell := member.line.get(column, ""))}
    maxima = {points_in_cell(cell) for cell in cells}
    if len(maxima) > 1:
        raise UserError(
            f"the column `{column}` has several values ({', '.join(sorted(cells)[:5])}): give the maximum with --max."
        )
    return next(iter(maxima), None)


def grade_book_maxima(roster: Roster, columns: Mapping[str, str]) -> dict[str, float]:
    """{lesson: points possible} for the columns that Canvas's own export has already."""
    maxima = {lesson: points_in_cell(roster.possible.get(column, "")) for lesson, column in columns.items()}
    return {lesson: value for lesson, value in maxima.items() if value is not None}


def maxima_from_options(marks: Marks, columns: Mapping[str, str], options: Sequence[str]) -> dict[str, float]:
    """{lesson: maximum} from `--max 100` (every column) and `--max 03=50`. Raises UserError."""
    maxima: dict[str, float] = {}
    for option in sorted(options, key=lambda option: "=" in option):  # one column comes after all
        name, equals, number = option.rpartition("=")
        value = points_in_cell(number)
        named = lesson_named(marks, name) if equals else None
        if value is None or (equals and named not in columns):
            raise UserError(
                f"--max {option!r}: give a positive number, or LESSON=NUMBER with one of {', '.join(columns)}."
            )
        maxima |= dict.fromkeys(columns if named is None else [named], value)
    return maxima


def scaled_to(maxima: Mapping[str, float], marks: Marks, columns: Mapping[str, str]) -> Marks:
    """The marks with each column's maximum as in `maxima`, and a sentence for each column that this changes."""
    factors = {
        lesson: maximum / marks.possible[lesson]
        for lesson, maximum in maxima.items()
        if lesson in columns and marks.possible.get(lesson) and maximum != marks.possible[lesson]
    }
    if not factors:
        return marks
    remarks = tuple(
        f"{columns[lesson]}: scores out of {points_text(marks.possible[lesson])} are scaled to the platform's maximum "
        f"of {points_text(maxima[lesson])}."
        for lesson in factors
    )
    return replace(
        marks,
        scores={
            student: {lesson: score * factors.get(lesson, 1) for lesson, score in scores.items()}
            for student, scores in marks.scores.items()
        },
        possible={
            lesson: maxima[lesson] if lesson in factors else highest for lesson, highest in marks.possible.items()
        },
        remarks=(*marks.remarks, *remarks),
    )


CANVAS_IDENTITY = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS_POSSIBLE = "    Points Possible"  # with these spaces Canvas writes it


def canvas_columns(marks: Marks) -> dict[str, str]:
    """{lesson or TOTAL: column}: the gradebook's assignment; without one, a column per lesson, with its name."""
    if marks.assignment is not None:
        return {TOTAL: marks.assignment}
    return {lesson: lesson for lesson in marks.possible if lesson != TOTAL}


def canvas_csv(roster: Roster, marks: Marks, columns: Mapping[str, str]) -> str:
    """The text of the file. `columns` are {lesson or "total": the assignment's column}."""
    possible = [f"{number(marks.possible[lesson])}" for lesson in columns]
    rows = [[*CANVAS_IDENTITY, *columns.values()], [POINTS_POSSIBLE, "", "", "", "", *possible]]
    exported = {"sis user id", "sis login id"} & {column.lower() for column in roster.columns}
    for member in roster.members:
        rows.append([*identity(member, bool(exported)), *(marks.cell(member, lesson) for lesson in columns)])
    return as_csv(rows)


def identity(member: Member, exported: bool) -> Sequence[str]:
    """A student's cells for CANVAS_IDENTITY: those of Canvas's own export, else `id` is the SIS User ID."""
    given = {column.lower(): cell for column, cell in member.line.items()}
    if exported:
        return [given.get(column.lower(), "") for column in CANVAS_IDENTITY]
    return [member.name, "", member.id, given.get("login", ""), given.get("section", "")]


CANVAS = Platform(canvas_columns, grade_book_maxima, canvas_csv)


MOODLE_IDENTITY = ("Identifier", "Full name", "Email address")
GRADE = "Grade"
WORKSHEET = ("identifier", "grade", "last modified (grade)")
"""The columns, in small letters, without which Moodle reads no worksheet."""


def moodle_maxima(roster: Roster, columns: Mapping[str, str]) -> dict[str, float]:
    """{lesson: maximum} for the column Grade, where the roster is a worksheet. Raises UserError."""
    maximum = worksheet_maximum(roster)
    return {} if maximum is None else {lesson: maximum for lesson, column in columns.items() if column == GRADE}


def moodle_csv(roster: Roster, marks: Marks, columns: Mapping[str, str]) -> str:
    """The text of the file. `columns` are {lesson or "total": the grade's column}."""
    if is_worksheet(roster) and list(columns.values()) == [GRADE]:
        return as_csv(worksheet_rows(roster, marks, columns))
    rows = [[*MOODLE_IDENTITY, *columns.values()]]
    for member in roster.members:
        rows.append([member.id, member.name, member.email, *(marks.cell(member, lesson) for lesson in columns)])
    return as_csv(rows)


def is_worksheet(roster: Roster) -> bool:
    """Whether the roster is a grading worksheet as Moodle writes it, whole."""
    return set(WORKSHEET) <= {column.lower() for column in roster.columns}


def worksheet_rows(roster: Roster, marks: Marks, columns: Mapping[str, str]) -> list[list[str]]:
    """The worksheet, header first, with its grades replaced; a student without a score gets an empty cell."""
    (lesson,) = columns
    grade = next(at for at, column in enumerate(roster.columns) if column.lower() == GRADE.lower())
    rows = [list(roster.columns)]
    for member in roster.members:
        cells = [member.line.get(column, "") for column in roster.columns]
        cells[grade] = marks.cell(member, lesson)
        rows.append(cells)
    return rows


MOODLE = Platform(lambda marks: {TOTAL: GRADE}, moodle_maxima, moodle_csv)
