"""`grade feedback`: reports in the form in which platforms give them back to students."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import click

from grader.commands.checks import open_course
from grader.commands.class_files import ClassFiles, stored_lines
from grader.commands.command_line import FOLDER, argument, option
from grader.commands.console import console_for, print_remarks
from grader.commands.export import Graded, Written
from grader.commands.opened_gradebook import recorded_course
from grader.commands.options import CourseFolder, RosterFile
from grader.errors import UserError, write_errors
from grader.gradebook.files import write_whole
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.intake_csv import decisions
from grader.intake.submissions.submission import Submission
from grader.publish.export.gradebooks import class_results, read_marks
from grader.publish.feedback.archives import canvas_feedback, moodle_feedback
from grader.publish.feedback.download import returned_reports
from grader.publish.feedback.reports import NoFeedback, for_one_student, mailmerge_csv, report_files
from grader.publish.progress_bar import progress_bar
from grader.results.wording import count_text

Download = Annotated[Path, argument("DOWNLOAD", click.Path(path_type=Path, exists=True))]

MakeFiles = Callable[[Sequence[str], dict[str, bytes]], dict[str, bytes]]
"""What a platform gives a student, from the names of their files in the download and their reports."""
ARCHIVES: dict[str, tuple[MakeFiles, str, str]] = {
    "Canvas": (canvas_feedback, "okaforada_12345_67890_backward.py", "the assignment, Re-Upload Submissions"),
    "Moodle": (moodle_feedback, "Ada Okafor_12345_assignsubmission_file", "Upload multiple feedback files in a zip"),
}
"""{platform: (its archive's files, what names in its download look like, where to upload the archive)}"""


def canvas_archive(
    graded: Graded, download: Download, roster_file: RosterFile, out: Written, course: CourseFolder
) -> None:
    """Writes the zip for Canvas's "Re-Upload Submissions". Each report becomes a file in a comment.

    Examples:
      grade feedback canvas grades/ submissions.zip --roster roster.csv
    """
    give_back("Canvas", graded, download, roster_file, out, course)


def moodle_archive(
    graded: Graded, download: Download, roster_file: RosterFile, out: Written, course: CourseFolder
) -> None:
    """Writes the zip for Moodle's "Upload multiple feedback files in a zip".

    Grades and one-line comments are in the worksheet that `grade export moodle` fills in.

    Examples:
      grade feedback moodle grades/ submissions.zip --roster worksheet.csv
    """
    give_back("Moodle", graded, download, roster_file, out, course)


def student_folders(
    graded: Graded,
    roster_file: RosterFile,
    out: Annotated[Path | None, option("-o --out DIR", "What to write.  [default: OUT/feedback]", FOLDER)],
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


def give_back(
    platform: str, graded: Path, download: Path, roster_file: Path | None, out: Path | None, course: Path | None
) -> None:
    """Write the platform's zip, and print who gets nothing. Raises UserError."""
    from grader.authoring.release.engine import write_zip  # torch comes with it

    made, expected, place = ARCHIVES[platform]
    loaded, lessons = open_course(recorded_course(graded, course), ())
    decided, console = decisions(stored_lines(graded, loaded)), console_for(stderr=True)

    def shown(submissions: Sequence[Submission]) -> Iterator[Submission]:
        with progress_bar(console, live=console.is_terminal) as bar:
            yield from bar.track(submissions, description="reading the download")

    def is_expected(arrival: Arrival) -> bool:
        return arrival.account.startswith(f"{platform} ")

    roster = ClassFiles(graded, roster_file).roster
    back, remarks = returned_reports(graded, download, lessons, roster, is_expected, expected, decided, shown)
    files, sent = dict[str, bytes](), 0
    for each in back:
        try:
            with for_one_student():
                files |= made([place.name for place in each.places], each.files)
            sent += 1
        except NoFeedback as reason:
            remarks.append(f"`{each.results.student}` gets no feedback: {reason}.")
    print_remarks(remarks)
    if not back:
        raise UserError(
            "nothing was written: no submission in the download is certainly that of a student with a report in OUT."
        )
    path = out or graded / f"{platform.lower()}-feedback.zip"
    with write_errors(path):
        write_zip(path, files)
    click.echo(f"wrote {path}: reports for {sent} students. In {platform}: {place}.")
