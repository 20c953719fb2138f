"""Reports in the form in which Moodle gives them back: feedback files in a zip, and the grading worksheet.

"Upload multiple feedback files in a zip" takes the folders of the download, NAME_NUMBER_assignsubmission_file, of which
Moodle reads the number (mod/assign/feedback/file/importziplib.php in https://github.com/moodle/moodle). The grading
worksheet needs the columns Identifier, Grade and Last modified (grade), and its comments are HTML
(mod/assign/feedback/offline/importgradeslib.php, mod/assign/feedback/comments/locallib.php).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from grader.intake.submissions.downloads import MOODLE_NAME
from grader.intake.submissions.roster import Roster
from grader.publish.export.marks import read_marks
from grader.publish.export.platforms import PLATFORMS, maxima_of, scaled_to
from grader.publish.feedback.reports import NoFeedback, one_line_summary

MOODLE = PLATFORMS["moodle"]


def moodle_feedback(names: Sequence[str], files: dict[str, bytes]) -> dict[str, bytes]:
    """{path in the zip: content} for one student, of whose files or folders the download has `names`.

    Raises NoFeedback where none of these names is Moodle's.
    """
    found = sorted(
        (match["kind"], name) for name in names if (match := MOODLE_NAME.fullmatch(name))
    )  # files before texts
    if not found:
        raise NoFeedback("the download has no name of Moodle's for this student")
    name = found[0][1]
    own = MOODLE_NAME.fullmatch(name)
    assert own is not None
    start = name.removesuffix(own["file"]) if own["file"] else f"{name}/"  # files side by side, or folders
    return {start + report: content for report, content in files.items()}


def graded_worksheet(out: Path, roster: Roster, options: Sequence[str]) -> tuple[str, Sequence[str]]:
    """(the worksheet with the grades in OUT, and a summary for each student where it has a column for comments;
    a sentence for each column that is scaled). `options` are those of --max. Raises UserError.
    """
    marks = read_marks(out, roster)
    columns = MOODLE.columns(marks)
    scaled = scaled_to(maxima_of(MOODLE, roster, marks, columns, options), marks, columns)
    remarks, comments = list(scaled.remarks[len(marks.remarks) :]), dict[str, str]()
    for member in roster.members if MOODLE.own_column(roster, MOODLE.comments) else ():
        if member.student in scaled.results:
            try:
                comments[member.student] = escape(one_line_summary(scaled.results[member.student]))
            except NoFeedback as reason:
                remarks.append(f"{member.name} has no comment: {reason}.")
    return MOODLE.csv_text(roster, scaled, columns, comments), remarks
