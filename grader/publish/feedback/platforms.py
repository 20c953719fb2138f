"""Reports in the form in which Canvas, Moodle and Gradescope give them back to students.

Canvas's "Re-Upload Submissions" takes a zip of files with the names that Canvas gave to the downloaded ones. It reads
the student's and the file's number in the name, and attaches the file to a comment under the name that the student's
own file has (`infer_comment_context_from_filename` in app/models/abstract_assignment.rb of
https://github.com/instructure/canvas-lms). So the report takes the form of that file: what is called backward.py can be
opened as Python, and what is called notebook.ipynb in Jupyter.

Moodle's "Upload multiple feedback files in a zip" takes the folders of the download, NAME_NUMBER_assignsubmission_file,
of which Moodle reads the number (mod/assign/feedback/file/importziplib.php in https://github.com/moodle/moodle). Its
grading worksheet needs the columns Identifier, Grade and Last modified (grade), and its comments are HTML
(mod/assign/feedback/offline/importgradeslib.php, mod/assign/feedback/comments/locallib.php).

Gradescope has no upload for feedback. But an autograder gets the submission's number (`id` in
submission_metadata.json), and a download's folders have the same number. So the archive is an autograder that looks a
submission's result up; it contains no hidden suite, and runs no student's code.
https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from html import escape
from pathlib import Path, PurePosixPath

from grader.intake.submissions.downloads import MOODLE, CanvasFile, without_number
from grader.intake.submissions.lesson_files import MAIN
from grader.intake.submissions.roster import Roster
from grader.lesson.paths import TEMPLATES
from grader.publish.export.grade_books import GRADE, maxima_from_options, moodle_maxima, scaled_to, worksheet_rows
from grader.publish.export.gradescope import Visibility, gradescope_results
from grader.publish.export.marks import TOTAL, as_csv, read_marks
from grader.publish.feedback.download import Returned
from grader.publish.feedback.reports import HTML, NoFeedback, markdown_of, one_line_summary, require_score

TITLE = "This file is the report on what you submitted under this name."
EPOCH = (1980, 1, 1, 0, 0, 0)


def canvas_feedback(names: Sequence[str], files: dict[str, bytes]) -> dict[str, bytes]:
    """{name in the zip: content} for one student, of whose files the download has `names`. Raises NoFeedback."""
    found = {name: file for name in names if (file := CanvasFile.of(name)) and file.attachment}
    if not found:
        raise NoFeedback("Canvas returns files only to who submitted a file, and this is typed text or a link")
    name = max(found, key=lambda name: (without_number(found[name].file) == MAIN, found[name].attachment))
    suffix = PurePosixPath(name).suffix.lower()
    if suffix == ".py":
        return {name: as_comments(markdown_of(files)).encode()}
    if suffix == ".ipynb":
        return {name: as_notebook(markdown_of(files)).encode()}
    if suffix == ".zip":
        return {name: as_zip(files)}
    return {name if suffix in (".html", ".htm") else f"{name}.html": files[HTML]}


def as_comments(text: str) -> str:
    """A Python file without a statement."""
    return "".join(f"# {line}".rstrip() + "\n" for line in [TITLE, "", *text.splitlines()])


def as_notebook(text: str) -> str:
    cell = {"cell_type": "markdown", "id": "report", "metadata": {}, "source": f"*{TITLE}*\n\n{text}"}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def as_zip(files: dict[str, bytes]) -> bytes:
    """The same files give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


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


def graded_worksheet(out: Path, roster: Roster, options: Sequence[str]) -> tuple[str, Sequence[str]]:
    """(the worksheet with the grades in OUT, and a summary for each student where it has a column for comments;
    a sentence for each column that is scaled). `options` are those of --max. Raises UserError.
    """
    columns, marks = {TOTAL: GRADE}, read_marks(out, roster)
    scaled = scaled_to(maxima_from_options(marks, columns, options) or moodle_maxima(roster, columns), marks, columns)
    column = comments_column(roster)
    header, *rows = worksheet_rows(roster, scaled, columns)
    for member, cells in zip(roster.members, rows, strict=True):
        if column is not None and member.student in scaled.results:
            cells[header.index(column)] = escape(one_line_summary(scaled.results[member.student]))
    return as_csv([header, *rows]), scaled.remarks[len(marks.remarks) :]


SCRIPTS = ("setup.sh", "run_autograder")
STORED = "stored"
"""The folder of templates, and that of the results in the archive."""


def stored_result(each: Returned, visibility: str, maximum: float | None) -> dict[str, bytes]:
    """{path in the archive: the results.json that Gradescope gets for a submission}, with points scaled to `maximum`.

    Raises NoFeedback.
    """
    require_score(each.results)
    data = gradescope_results(each.results, Visibility(visibility), maximum)
    data |= {"output": markdown_of(each.files), "output_format": "md"}
    number = each.arrival.path.name.removeprefix("submission_")
    return {f"{STORED}/{number}.json": (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()}


def autograder_scripts() -> dict[str, bytes]:
    """{path in the archive: content} of the SCRIPTS that look results up."""
    return {name: (TEMPLATES / "export" / STORED / name).read_bytes() for name in SCRIPTS}
