"""Moodle's "Upload multiple feedback files in a zip", and its grading worksheet with grades and comments.

The zip has the folders of the download, NAME_NUMBER_assignsubmission_file, of which Moodle reads the number
(mod/assign/feedback/file/importziplib.php in https://github.com/moodle/moodle). Moodle refuses a worksheet without the
columns Identifier, Grade and Last modified (grade), and reads comments as HTML
(mod/assign/feedback/offline/importgradeslib.php, mod/assign/feedback/comments/locallib.php).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from grader.intake.submissions.downloads import MOODLE
from grader.intake.submissions.roster import Roster
from grader.publish.export.grade_books import GRADE, worksheet_rows
from grader.publish.export.marks import TOTAL, Marks, as_csv
from grader.publish.feedback.reports import NoFeedback, one_line_summary

COMMENTS = "feedback comments"


def moodle_feedback(names: Sequence[str], files: dict[str, bytes]) -> dict[str, bytes]:
    """{path in the zip: content} for one student, of whose files or folders the download has `names`.

    Raises NoFeedback where none of these names is Moodle's.
    """
    found = sorted((match["kind"], name) for name in names if (match := MOODLE.fullmatch(name)))  # files before texts
    if not found:
        raise NoFeedback("the download has no name of Moodle's for this student")
    name = found[0][1]
    own = MOODLE.fullmatch(name)
    assert own is not None
    start = name.removesuffix(own["file"]) if own["file"] else f"{name}/"  # files side by side, or folders
    return {start + report: content for report, content in files.items()}


def comments_column(roster: Roster) -> str | None:
    """The worksheet's column for comments; None where the assignment has no such feedback or this is no worksheet."""
    return next((column for column in roster.columns if column.lower() == COMMENTS), None)


def commented_worksheet(roster: Roster, marks: Marks) -> str:
    """The worksheet with grades, and a summary for each student where it has a column for comments."""
    column = comments_column(roster)
    header, *rows = worksheet_rows(roster, marks, {TOTAL: GRADE})
    for member, cells in zip(roster.members, rows, strict=True):
        if column is not None and member.student in marks.results:
            cells[header.index(column)] = escape(one_line_summary(marks.results[member.student]))
    return as_csv([header, *rows])
