"""CSV for Moodle: an assignment's grading worksheet (one Grade column), or the grade book's import (any columns).

The worksheet knows students by Identifier, the grade book by what is chosen there, such as the e-mail address.
https://docs.moodle.org/en/Grade_import. Moodle refuses a worksheet that has lost its column of dates
(mod/assign/feedback/offline/importgradeslib.php), so a whole worksheet keeps all of its columns.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.errors import UserError
from grader.intake.submissions.roster import Roster
from grader.publish.export.marks import TOTAL_COLUMN, Marks, Platform, as_csv
from grader.publish.export.maxima import points_in_cell

MAXIMUM = "maximum grade"
"""The column of Moodle's grading worksheet that has the assignment's maximum."""


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


MOODLE_PLATFORM = Platform(lambda marks: {TOTAL_COLUMN: GRADE}, moodle_maxima, moodle_csv)
