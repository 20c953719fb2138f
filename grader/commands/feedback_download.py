"""Shared by `grade feedback`'s commands: their arguments, the platform's download, and the archive that goes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.console import console_for, fail, open_course, print_remarks
from grader.commands.options import roster_option
from grader.errors import write_errors

if TYPE_CHECKING:
    from grader.intake.submissions.arrival import Arrival
    from grader.intake.submissions.roster import Roster
    from grader.intake.submissions.submission import Submission
    from grader.publish.feedback.download import Returned

download_argument = click.argument("download", metavar="DOWNLOAD", type=click.Path(path_type=Path, exists=True))
run_roster_option = roster_option("CSV with id, name, email: the one that `grade run` had.")


def feedback_out_option(default: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        "-o", "--out", type=click.Path(path_type=Path), default=None, help=f"What to write.  [default: OUT/{default}]"
    )


def roster_at(path: Path | None) -> Roster | None:
    from grader.intake.submissions.roster import read_roster

    return None if path is None else read_roster(path)


def write_archive(path: Path, files: dict[str, bytes], executable: Sequence[str] = ()) -> None:
    from grader.authoring.release.engine import write_zip

    with write_errors(path):
        write_zip(path, files, executable)


def read_download(
    graded: Path,
    download: Path,
    roster: Roster | None,
    course: Path | None,
    is_expected: Callable[[Arrival], bool],
    expected: str,
) -> list[Returned]:
    """What goes back; remarks about everything else are printed. Ends the program where nothing goes back."""
    from grader.commands.run_inputs import stored_lines
    from grader.intake.submissions.intake_csv import decisions
    from grader.publish.feedback.download import returned_reports
    from grader.publish.progress_bar import progress_bar

    loaded, lessons = open_course(course, ())
    decided = decisions(stored_lines(graded, loaded))
    console = console_for(stderr=True)

    def shown(submissions: Sequence[Submission]) -> Iterator[Submission]:
        with progress_bar(console, live=console.is_terminal) as bar:
            yield from bar.track(submissions, description="reading the download")

    back, remarks = returned_reports(graded, download, lessons, roster, is_expected, expected, decided, shown)
    print_remarks(remarks)
    if not back:
        fail("nothing was written: no submission in the download is certainly that of a student with a report in OUT.")
    return back


def collected(
    back: Sequence[Returned], platform: Callable[[Sequence[str], dict[str, bytes]], dict[str, bytes]]
) -> tuple[dict[str, bytes], list[str]]:
    """({name in the archive: content}, the students whose reports are in it)."""
    from grader.publish.feedback.reports import NoFeedback

    files: dict[str, bytes] = {}
    sent = []
    for each in back:
        try:
            files |= platform(each.names, each.files)
        except NoFeedback as reason:
            print_remarks([f"`{each.results.student}` gets no feedback: {reason}."])
            continue
        sent.append(each.results.student)
    return files, sent
