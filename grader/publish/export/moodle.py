"""CSV for Moodle: the grading worksheet of an assignment (one Grade column), or the grade book's import (any columns).

The worksheet knows students by Identifier, the grade book by what is chosen there, such as the e-mail address.
https://docs.moodle.org/en/Grade_import
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.intake.submissions.roster import Roster
from grader.publish.export.marks import TOTAL, Marks, Platform, as_csv
from grader.publish.export.maxima import worksheet_maximum

IDENTITY_COLUMNS = ("Identifier", "Full name", "Email address")
GRADE = "Grade"


def moodle_columns(marks: Marks) -> dict[str, str]:
    """{lesson: column}: one column with the total."""
    return {TOTAL: GRADE}


def moodle_maxima(roster: Roster, columns: Mapping[str, str]) -> dict[str, float]:
    """{lesson: maximum} for the column Grade, where the roster is a worksheet. Raises UserError."""
    maximum = worksheet_maximum(roster)
    return {} if maximum is None else {lesson: maximum for lesson, column in columns.items() if column == GRADE}


def moodle_csv(roster: Roster, marks: Marks, columns: Mapping[str, str]) -> str:
    """The text of the file. `columns` are {lesson or "total": the grade's column}."""
    rows = [[*IDENTITY_COLUMNS, *columns.values()]]
    for member in roster.members:
        rows.append([member.id, member.name, member.email, *(marks.cell(member, lesson) for lesson in columns)])
    return as_csv(rows)


MOODLE = Platform(moodle_columns, moodle_maxima, moodle_csv)
