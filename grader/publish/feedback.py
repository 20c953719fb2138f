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
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from grader.gradebook.database import Gradebook
from grader.gradebook.guarded import fault_text
from grader.intake.submissions.platforms import MOODLE_NAME, CanvasFile
from grader.intake.submissions.roster import Roster
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.export.gradebooks import class_results
from grader.publish.inert import csv_text, formula_free, inert
from grader.publish.report.decisions import decision_sentences
from grader.publish.view import RowView
from grader.results import SubmissionResult, number, points_in_words, points_text, read_results
from grader.results.wording import listed

Form = Callable[[Sequence[str], dict[str, bytes]], dict[str, bytes]]
"""Gives {name in a platform's zip: content} from a student's entries in its download and {file name: content} of the
report. Raises NoFeedback."""

HTML, MARKDOWN = "report.html", "report.md"
MAX_ROWS_NAMED = 8
TITLE = "This file is the report on what you submitted under this name."
MAIL_MERGE_COLUMNS = ("email", "name", "id", "score", "maximum", "percent", "summary", "report")


class NoFeedback(Exception):
    """Why a student gets nothing back now; the text completes the sentence `NAME: ...`."""


class Feedback(NamedTuple):
    """A student's current results, {file name: content} of their report, and a summary of one line."""

    results: SubmissionResult
    files: dict[str, bytes]
    summary: str


def feedback_for(out: Path, results: Mapping[str, SubmissionResult]) -> tuple[dict[str, Feedback], list[str]]:
    """({student: their feedback}, a sentence for each student who gets none), for the current `results` in OUT.

    A fault in what is made for one student is a sentence as well: all others get theirs.
    """
    found, remarks = dict[str, Feedback](), list[str]()
    for student, each in results.items():
        try:
            found[student] = Feedback(each, report_files(out, each), one_line_summary(each))
        except NoFeedback as reason:
            remarks.append(f"`{each.student}` gets no feedback: {reason}.")
        except Exception as error:
            why = f"it could not be made, which is a fault of the grader ({fault_text(error)})"
            remarks.append(f"`{each.student}` gets no feedback: {why}.")
    return found, remarks


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


def archive_of(out: Path, gradebook: Gradebook, platform: str, form: Form) -> tuple[list[dict[str, bytes]], list[str]]:
    """({name in the zip for `platform`, such as "Canvas": content} per report, a sentence per student without one).

    A report goes back under the names that the student's newest submission had in the platform's download. A platform
    takes one report for a group's submission: it goes back if all members have the same. Raises UserError.
    """
    feedback, remarks = feedback_for(out, class_results(gradebook))
    by_entries = dict[tuple[str, ...], list[Feedback]]()
    for student, each in feedback.items():
        submissions = map(gradebook.submission, list(gradebook.attempts(student)))
        submitted = next((each for each in submissions if each.account.startswith(f"{platform} ")), None)
        if submitted is None:
            why = f"no submission of this student came in a download of {platform}"
            remarks.append(f"`{student}` gets no feedback here: {why}.")
        elif submitted.submitted_by:
            why = f"{submitted.submitted_by} submitted for the group, so {platform} has nothing under this name"
            remarks.append(f"`{student}` gets no feedback here: {why}. `grade feedback folder` has the report.")
        else:
            by_entries.setdefault(submitted.entries, []).append(each)
    reports = list[dict[str, bytes]]()
    for entries, same in by_entries.items():
        members = [each.results for each in same]
        try:
            if len({(each.score, each.max_score, *decision_sentences(each)) for each in members}) > 1:
                scores = ", ".join(f"{each.student} {number(each.score)}" for each in members)
                raise NoFeedback(f"its members have different scores or remarks, and there is one report ({scores})")
            reports.append(form(entries, same[0].files))
        except NoFeedback as reason:
            who = f"`{members[0].student}`" if len(members) == 1 else entries[0]
            remarks.append(f"{who} gets no feedback: {reason}.")
    return reports, remarks


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


def mailmerge_csv(roster: Roster, feedback: Mapping[str, Feedback], reports: Path) -> tuple[str, list[str]]:
    """(the text of the file, a sentence for each member of the roster with feedback and without an e-mail address).

    Points and maximum are the student's own, as in the report, to whose place in `reports` the file refers.
    """
    rows, remarks = [MAIL_MERGE_COLUMNS], list[str]()
    for member in (each for each in roster.members if each.student in feedback):
        results, _, summary = feedback[member.student]
        if not member.email:
            remarks.append(f"{member.name} is not in the file: the roster has no e-mail address.")
            continue
        score, most, percent = (f"{number(value)}" for value in (results.score, results.max_score, results.percent))
        if results.status == "unclear":
            score = percent = ""
        report = str((reports / results.student / HTML).resolve())
        rows.append((member.email, member.name, member.id, score, most, percent, summary, report))
    return csv_text([list(map(formula_free, row)) for row in rows]), remarks
