"""Reports on their way back: the zips of Canvas and Moodle, one-line summaries, mail merge.

A report that goes back is complete, current, and certainly this student's.

Canvas's "Re-Upload Submissions" takes a zip of files with the names that Canvas gave to the downloaded ones, and shows
each in a comment under the name of the student's own file (app/models/abstract_assignment.rb of
https://github.com/instructure/canvas-lms). So the report takes the form of that file. Moodle's "Upload multiple
feedback files in a zip" takes the folders of the download, NAME_NUMBER_assignsubmission_file
(mod/assign/feedback/file/importziplib.php in https://github.com/moodle/moodle).
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from html import escape
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from grader.errors import UserError
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.guarded import fault_text
from grader.intake.submissions.platforms import MOODLE_NAME, CanvasFile
from grader.intake.submissions.roster import Roster
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.export.gradebooks import Marks, as_csv, class_results
from grader.publish.inert import inert
from grader.publish.report.decisions import decision_sentences
from grader.publish.view import RowView
from grader.results import SubmissionResult, number, points_in_words, points_text, read_results
from grader.results.wording import listed

HTML, MARKDOWN = "report.html", "report.md"
MAX_ROWS_NAMED = 8
TITLE = "This file is the report on what you submitted under this name."
MAIL_MERGE_COLUMNS = ("email", "name", "id", "score", "maximum", "percent", "summary", "report")


class NoFeedback(Exception):
    """Why a student gets nothing back now; the text completes the sentence `NAME: ...`."""


@contextmanager
def for_one_student() -> Iterator[None]:
    """Turn a fault in what is made for one student into NoFeedback: all others get theirs."""
    try:
        yield
    except (UserError, NoFeedback, OSError):
        raise
    except Exception as error:
        raise NoFeedback(f"it could not be made, which is a fault of the grader ({fault_text(error)})") from error


@for_one_student()
def report_files(out: Path, results: SubmissionResult) -> dict[str, bytes]:
    """{file name: content} of a student's report. `results` are the current ones. Raises NoFeedback."""
    if results.status == "error":
        raise NoFeedback("the submission could not be graded, so there is no report")
    folder = out / results.student
    reported = read_results(folder)
    if reported is None or reported.student != results.student:
        raise NoFeedback(f"{folder} has no report")
    current = {lesson.name: lesson.score for lesson in results.lessons}
    if any(current.get(lesson.name, lesson.score) != lesson.score for lesson in reported.lessons):
        raise NoFeedback(f"the report in {folder} is older than the score, so publish it again with `grade run`")
    try:
        return {name: (folder / name).read_bytes() for name in (HTML, MARKDOWN)}
    except OSError as error:
        raise NoFeedback(f"{error.filename} cannot be read ({error.strerror})") from error


# Archives -------------------------------------------------------------------------------------------------------------


class Returned(NamedTuple):
    """A student's current results, the names of their entries in the download, and {file name: content} of reports."""

    results: SubmissionResult
    entries: tuple[str, ...]
    files: dict[str, bytes]


def returned_reports(out: Path, platform: str) -> tuple[list[Returned], list[str]]:
    """(what goes back through a platform, such as "Canvas"; a sentence for each student without feedback).

    A report goes back under the names that the student's newest submission had in the platform's download. A platform
    takes one report for a group's submission: it goes back if all members have the same. Raises UserError.
    """
    by_entries, remarks, current = dict[tuple[str, ...], list[Returned]](), list[str](), class_results(out)
    with closing(Gradebook(out / GRADEBOOK, read_only=True)) as gradebook:
        for student, results in current.items():
            submissions = map(gradebook.submission, list(gradebook.stored_attempts(student)))
            submitted = next((each for each in submissions if each.account.startswith(f"{platform} ")), None)
            try:
                if submitted is None:
                    raise NoFeedback(f"no submission of this student came in a download of {platform}")
                if submitted.submitted_by:
                    raise NoFeedback(
                        f"{submitted.submitted_by} submitted for the group, so the platform has no submission under "
                        "this name. `grade feedback folder` has the report"
                    )
                returned = Returned(results, submitted.entries, report_files(out, results))
                by_entries.setdefault(submitted.entries, []).append(returned)
            except NoFeedback as reason:
                remarks.append(f"`{student}` gets no feedback here: {reason}.")
    back = list[Returned]()
    for entries, same in by_entries.items():
        members = [each.results for each in same]
        if len(same) == 1 or len({(each.score, each.max_score, *decision_sentences(each)) for each in members}) == 1:
            back.append(same[0])
            continue
        scores = ", ".join(f"{each.student} {number(each.score)}" for each in members)
        remarks.append(
            f"{entries[0]} gets no feedback: it has one report, and its members have different scores or remarks "
            f"({scores})."
        )
    return back, remarks


def canvas_feedback(names: Sequence[str], files: dict[str, bytes]) -> dict[str, bytes]:
    """{name in the zip: content} for one student, of whose files the download has `names`. Raises NoFeedback."""
    found = {name: file for name in names if (file := CanvasFile.of(name)) and file.attachment}
    if not found:
        raise NoFeedback("Canvas returns files only to who submitted a file, and this is typed text or a link")
    name = max(found, key=lambda name: (found[name].first_name == BACKWARD_FILE, found[name].attachment))
    suffix, text = PurePosixPath(name).suffix.lower(), files[MARKDOWN].decode("utf-8", "replace")
    if suffix == ".py":  # without a statement
        lines = [TITLE, "", *text.splitlines()]
        return {name: "".join(f"# {line}".rstrip() + "\n" for line in lines).encode()}
    if suffix == ".ipynb":
        cell = {"cell_type": "markdown", "id": "report", "metadata": {}, "source": f"*{TITLE}*\n\n{text}"}
        notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        return {name: (json.dumps(notebook, indent=1) + "\n").encode()}
    if suffix == ".zip":  # the same files give the same bytes: `ZipInfo` has no date unless it is given one
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for inside, content in sorted(files.items()):
                archive.writestr(zipfile.ZipInfo(inside), content, zipfile.ZIP_DEFLATED)
        return {name: packed.getvalue()}
    return {name if suffix in (".html", ".htm") else f"{name}.html": files[HTML]}


def moodle_feedback(names: Sequence[str], files: dict[str, bytes]) -> dict[str, bytes]:
    """{path in the zip: content} for one student, of whose files or folders the download has `names`.

    Raises NoFeedback where none of these names is Moodle's.
    """
    matches = (match for name in names if (match := MOODLE_NAME.fullmatch(name)))
    first = min(matches, key=lambda match: (match["kind"], match[0]), default=None)  # a file before a text
    if first is None:
        raise NoFeedback("the download has no name of Moodle's for this student")
    name = first[0]
    start = name.removesuffix(first["file"]) if first["file"] else f"{name}/"  # files side by side, or folders
    return {start + report: content for report, content in files.items()}


# Summaries ------------------------------------------------------------------------------------------------------------


@for_one_student()
def one_line_summary(results: SubmissionResult) -> str:
    """The points, what is not right yet, and what people wrote about the submission. Raises NoFeedback."""
    points = f"{points_text(results.score)} of {points_in_words(results.max_score)} ({points_text(results.percent)} %)."
    sentences = [points]
    if results.status in ("unclear", "nothing"):
        sentences = ["Nothing was submitted." if results.status == "nothing" else results.message or "Not decided."]
    elif results.status != "graded":
        sentences.append(results.message or f"The submission was {results.status}.")
    else:
        absent = [lesson.name for lesson in results.lessons if lesson.status != "graded"]
        graded = (lesson for lesson in results.lessons if lesson.status == "graded")
        rows = (row for lesson in graded for row in lesson.rows if row.counted and row.status != "passed")
        wrong = [f"{row.name} ({RowView(row).word})" for row in rows]
        for start, names in (("Not submitted, or not readable", absent), ("Not right yet", wrong)):
            sentences += [f"{start}: {listed(names, MAX_ROWS_NAMED)}."] if names else []
    every = dict.fromkeys([*sentences, *decision_sentences(results)])
    return " ".join(inert(" ".join(every)).split())


def comments_for(marks: Marks) -> tuple[dict[str, str], list[str]]:
    """({student: the summary, as the HTML of Moodle's worksheet}, a sentence for each student without one)."""
    comments, remarks = dict[str, str](), list[str]()
    for student, results in marks.results.items():
        try:
            comments[student] = escape(one_line_summary(results))
        except NoFeedback as reason:
            remarks.append(f"{student} has no comment: {reason}.")
    return comments, remarks


def mailmerge_csv(out: Path, roster: Roster, marks: Marks, reports: Path | None = None) -> tuple[str, list[str]]:
    """(the text of the file, a sentence for each member of the roster with results who is not in it).

    Points and maximum are the student's own, as in the report. `reports` is the folder with a copy of OUT's reports to
    which the file refers.
    """
    rows, remarks = [list(MAIL_MERGE_COLUMNS)], []
    for member in roster.members:
        results = marks.results.get(member.student)
        if results is None:
            continue  # `marks.remarks` names them
        try:
            if not member.email:
                raise NoFeedback("the roster has no e-mail address")
            report_files(out, results)
            summary = one_line_summary(results)
        except NoFeedback as reason:
            remarks.append(f"{member.name} is not in the file: {reason}.")
            continue
        figures = [f"{number(value)}" for value in (results.score, results.max_score, results.percent)]
        if results.status == "unclear":
            figures[0] = figures[2] = ""
        report = ((reports or out) / results.student / HTML).resolve()
        rows.append([member.email, member.name, member.id, *figures, summary, str(report)])
    return as_csv(rows), remarks
