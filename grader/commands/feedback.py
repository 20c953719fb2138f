"""`grade feedback`: reports in the form in which platforms give them back to students."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import click

from grader.commands.class_files import ClassFiles
from grader.commands.command_line import FOLDER, option
from grader.commands.console import print_remarks
from grader.commands.export import Graded, Written
from grader.commands.options import RosterFile
from grader.errors import UserError, write_errors
from grader.gradebook.files import write_whole
from grader.publish.export.gradebooks import class_results, read_marks
from grader.publish.feedback import (
    NoFeedback,
    canvas_feedback,
    for_one_student,
    mailmerge_csv,
    moodle_feedback,
    report_files,
    returned_reports,
)
from grader.results.wording import count_text

PlatformFiles = Callable[[Sequence[str], dict[str, bytes]], dict[str, bytes]]
"""{name in the zip: content} for a student, of the names in the download and the report's files."""


def canvas_archive(graded: Graded, out: Written) -> None:
    """Writes the zip for Canvas's "Re-Upload Submissions". Each report becomes a file in a comment.

    Examples:
      grade feedback canvas grades/
    """
    sent, path = write_archive(graded, out, "Canvas", canvas_feedback)
    click.echo(f"wrote {path}: reports for {sent} students. In Canvas: the assignment, Re-Upload Submissions.")


def moodle_archive(graded: Graded, out: Written) -> None:
    """Writes the zip for Moodle's "Upload multiple feedback files in a zip".

    Grades and one-line comments are in the worksheet that `grade export moodle` fills in.

    Examples:
      grade feedback moodle grades/
    """
    sent, path = write_archive(graded, out, "Moodle", moodle_feedback)
    click.echo(f"wrote {path}: reports for {sent} students. In Moodle: Upload multiple feedback files in a zip.")


def student_folders(
    graded: Graded,
    roster_file: RosterFile,
    out: Annotated[Path | None, option("-o --out", "What to write.  [default: OUT/feedback]", FOLDER)],
) -> None:
    """Writes a folder for each student with their reports, and with a roster mailmerge.csv.

    Examples:
      grade feedback folder grades/ --roster roster.csv
    """
    roster, place, written = ClassFiles(graded, roster_file).roster, out or graded / "feedback", 0
    marks = None if roster is None else read_marks(graded, roster)
    results = class_results(graded) if marks is None else marks.results
    print_remarks(() if marks is None else marks.remarks)
    with write_errors(place):
        for student, each in results.items():
            try:
                files = report_files(graded, each)
            except NoFeedback as reason:
                print_remarks([f"`{student}` gets no feedback: {reason}."])
                continue
            (place / each.student).mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                (place / each.student / name).write_bytes(content)
            written += 1
        if roster is not None and marks is not None:
            text, remarks = mailmerge_csv(graded, roster, marks, place)
            print_remarks(remarks)
            write_whole(place / "mailmerge.csv", text)
    click.echo(f"wrote {place}: reports for {count_text(written, 'student')}.")


def write_archive(
    graded: Path,
    out: Path | None,
    platform: str,
    feedback: Callable[[Sequence[str], dict[str, bytes]], dict[str, bytes]],
) -> tuple[int, Path]:
    """Write the zip with what the platform gives to each student; returns (to how many, the zip). Prints who not.

    Raises UserError where nobody gets anything.
    """
    from grader.authoring.release.engine import write_zip  # torch comes with it

    back, remarks = returned_reports(graded, platform)
    print_remarks(remarks)
    if not back:
        raise UserError(f"nothing was written: OUT has no report on a submission in a download of {platform}.")
    files, sent, path = dict[str, bytes](), 0, out or graded / f"{platform.lower()}-feedback.zip"
    for each in back:
        try:
            with for_one_student():
                files |= feedback(each.entries, each.files)
            sent += 1
        except NoFeedback as reason:
            print_remarks([f"`{each.results.student}` gets no feedback: {reason}."])
    with write_errors(path):
        write_zip(path, files)
    return sent, path
