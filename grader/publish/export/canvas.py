"""CSV for Canvas's grade book.

Canvas knows students by ID, SIS User ID or SIS Login ID, not by name, and an assignment by its column's name, as in
its own export: "Lesson 03 (98765)". https://community.canvaslms.com (How do I import grades in the Gradebook?)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.intake.submissions.roster import Member, Roster
from grader.publish.export.marks import TOTAL_COLUMN, Marks, Platform, as_csv
from grader.publish.export.maxima import points_in_cell
from grader.results import number


def grade_book_maxima(roster: Roster, columns: Mapping[str, str]) -> dict[str, float]:
    """{lesson: points possible} for the columns that Canvas's own export has already."""
    maxima = {lesson: points_in_cell(roster.possible.get(column, "")) for lesson, column in columns.items()}
    return {lesson: value for lesson, value in maxima.items() if value is not None}


CANVAS_IDENTITY = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS_POSSIBLE = "    Points Possible"  # with these spaces Canvas writes it


def canvas_columns(marks: Marks) -> dict[str, str]:
    """{lesson or TOTAL_COLUMN: column}: the gradebook's assignment; without one, a column per lesson, with its name."""
    if marks.assignment is not None:
        return {TOTAL_COLUMN: marks.assignment}
    return {lesson: lesson for lesson in marks.possible if lesson != TOTAL_COLUMN}


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
    given = {column.lower(): cell.strip() for column, cell in member.line.items()}
    if exported:
        return [given.get(column.lower(), "") for column in CANVAS_IDENTITY]
    return [member.name, "", member.id, given.get("login", ""), given.get("section", "")]


CANVAS_PLATFORM = Platform(canvas_columns, grade_book_maxima, canvas_csv)
