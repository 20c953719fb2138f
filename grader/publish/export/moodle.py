"""CSV for Moodle: the grading worksheet of an assignment (one Grade column), or the grade book's import (any columns).

The worksheet knows students by Identifier, the grade book by what is chosen there, such as the e-mail address.
https://docs.moodle.org/en/Grade_import
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.intake.submissions.roster import Roster
from grader.publish.export.marks import TOTAL, Marks, as_csv
from grader.publish.export.maxima import worksheet_maximum

IDENTITY_COLUMNS = ("Identifier", "Full name", "Email address")
GRADE = "Grade"


def default_columns(marks: Marks) -> dict[str, str]:
    return {TOTAL: GRADE}


def maxima(roster: Roster, columns: Mapping[str, str]) -> dict[str, float]:
    """{lesson: maximum}: a worksheet says it of its own column Grade. Raises UserError."""
    found = worksheet_maximum(roster)
    return {} if found is None else {lesson: found for lesson, column in columns.items() if column == GRADE}


def moodle_csv(roster: Roster, marks: Marks, columns: Mapping[str, str]) -> str:
    """`columns` are {lesson or "total": the grade's column}."""
    rows = [[*IDENTITY_COLUMNS, *columns.values()]]
    for member in roster.members:
        rows.append([member.id, member.name, member.email, *(marks.cell(member, lesson) for lesson in columns)])
    return as_csv(rows)
