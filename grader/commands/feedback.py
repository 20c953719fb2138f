"""`grade feedback`: reports in the form in which Canvas, Moodle and Gradescope give them back to students."""

from __future__ import annotations

from pathlib import Path

import click

from grader.commands.console import course_option, fail, print_remarks
from grader.commands.feedback_download import (
    download_argument,
    feedback_out_option,
    read_download,
    roster_at,
    run_roster_option,
)
from grader.commands.feedback_platforms import feedback_canvas, feedback_gradescope, feedback_moodle
from grader.commands.options import FILE, graded_argument
from grader.errors import write_errors

EPILOG = """\b
Examples:
  grade feedback canvas grades/ submissions.zip --roster roster.csv      for "Re-Upload Submissions"
  grade feedback moodle grades/ submissions.zip --roster worksheet.csv   feedback files, and the worksheet with comments
  grade feedback gradescope grades/ export.zip --roster roster.csv       an autograder that hands out these results
  grade feedback classroom50 grades/ download/ --scores scores.json      Classroom 50's grade book
  grade feedback folder grades/ --roster roster.csv                      a folder per student, and a CSV for mail merge

\b
Exit status: 0 written, 2 the command line or the input is unusable.
"""


@click.group(epilog=EPILOG)
def feedback() -> None:
    """Gives reports back to students through a platform.

    OUT is what `grade run` wrote. DOWNLOAD is the platform's own archive or folder of submissions, because the platform
    recognises a student by the names in it. If it is not certain whose report it is, nobody gets it, and it is listed.
    """


@feedback.command("classroom50")
@graded_argument
@download_argument
@run_roster_option
@click.option(
    "--scores",
    "scores_path",
    type=FILE,
    required=True,
    help="The classroom's scores.json, from the organisation's repository classroom50.",
)
@feedback_out_option("scores.json")
@course_option
def feedback_classroom50(
    graded: Path,
    download: Path,
    roster_file: Path | None,
    scores_path: Path,
    out: Path | None,
    course: Path | None,
) -> None:
    """Writes Classroom 50's scores.json with the scores in OUT.

    The file belongs into the organisation's repository classroom50. DOWNLOAD is the folder that `gh teacher
    download` wrote. Collecting scores leaves these entries as they are.
    """
    from datetime import UTC, datetime

    from grader.gradebook.files import write_whole
    from grader.publish.export.classroom50 import result_text
    from grader.publish.feedback.classroom50 import is_checkout, put_scores, read_scores

    scores = read_scores(scores_path)
    back = read_download(graded, download, roster_at(roster_file), course, is_checkout, "CLASSROOM-ASSIGNMENT-USERNAME")
    remarks = list(put_scores(scores, back, datetime.now(UTC)))
    print_remarks(remarks)
    path = out or graded / "scores.json"
    with write_errors(path):
        write_whole(path, result_text(scores))
    click.echo(f"wrote {path}: scores of {len(back) - len(remarks)} students. Commit it as CLASSROOM/scores.json.")


@feedback.command("folder")
@graded_argument
@run_roster_option
@feedback_out_option("feedback")
def feedback_folder(graded: Path, roster_file: Path | None, out: Path | None) -> None:
    """Writes a folder for each student with their reports.

    With a roster it also writes mailmerge.csv there.
    """
    from grader.gradebook.files import write_whole
    from grader.publish.export.marks import class_results, read_marks
    from grader.publish.feedback.reports import NoFeedback, mailmerge_csv, report_files

    roster = roster_at(roster_file)
    marks = None if roster is None else read_marks(graded, roster)
    results = class_results(graded).values() if marks is None else marks.results.values()
    place, written = out or graded / "feedback", 0
    print_remarks(() if marks is None else marks.remarks)
    try:
        for each in results:
            try:
                files = report_files(graded, each)
            except NoFeedback as reason:
                print_remarks([f"`{each.student}` gets no feedback: {reason}."])
                continue
            (place / each.student).mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                (place / each.student / name).write_bytes(content)
            written += 1
        if roster is not None and marks is not None:
            text, remarks = mailmerge_csv(graded, roster, marks, place)
            print_remarks(remarks)
            write_whole(place / "mailmerge.csv", text)
    except OSError as error:
        fail(f"{error.filename or place} cannot be written: {error.strerror}.")
    click.echo(f"wrote {place}: reports for {written} students.")


for command in (feedback_canvas, feedback_moodle, feedback_gradescope):
    feedback.add_command(command)
