"""`grade similar`: pairs of submissions that share what few others in the class have."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from grader.commands.console import console_for, course_option, fail, open_course, print_remarks, printable
from grader.commands.opened_gradebook import recorded_course
from grader.commands.options import gradebook_option, lesson_option, roster_option
from grader.results.wording import count_text

if TYPE_CHECKING:
    from grader.gradebook.similarity.pairs import SimilarPair
    from grader.gradebook.similarity.reading import FilesByStudent, ReadClass
    from grader.intake.submissions.roster import Roster
    from grader.lesson.lesson import Course, Lesson

MAX_IN_TABLE = 20

SIMILAR_EPILOG = """\b
Examples:
  grade similar -o hw2                       the submissions in the gradebook, as `grade run -o hw2` stored them
  grade similar submissions/ -o grades       other files, with the verdicts of `grade run submissions/ -o grades`
  grade similar --lesson 03 --roster roster.csv
  grade similar --least 8                    also pairs that chance may explain

\b
A pair is a reason to read two submissions side by side. It is never a verdict.
Exit status: 0 done, whatever was found; 2 the command line or the input is unusable.
"""


@click.command(epilog=SIMILAR_EPILOG)
@click.argument("submissions", nargs=-1, type=click.Path(path_type=Path))
@gradebook_option("The gradebook with the submissions and the verdicts; similar.html is written there.")
@lesson_option()
@roster_option("The class's list. Students with the same entry in its column `group` are compared as one.")
@click.option(
    "--least",
    type=click.FloatRange(0),
    default=None,
    metavar="BITS",
    help="Show pairs that share at least this.  [default: more than chance explains in a class of this size]",
)
@course_option
def similar(
    submissions: tuple[Path, ...],
    out: Path,
    lesson_names: tuple[str, ...],
    roster_file: Path | None,
    least: float | None,
    course: Path | None,
) -> None:
    """Finds submissions that share rare wrong answers or code.

    Other names, another order or another layout of the code make no difference.

    Without SUBMISSIONS, the command compares those that the gradebook stores: of each lesson, the attempt that counts.

    Stubs, the course's own answers and what many students write do not count. Right answers in common forms are not
    listed, because short right answers are often the same.
    """
    from grader.gradebook.files import output_errors, write_whole
    from grader.gradebook.similarity.pairs import similarities
    from grader.gradebook.similarity.reading import groups_of, known_code, steps_of_course, verdicts_in
    from grader.intake.submissions.roster import read_roster
    from grader.publish.similar_page import similar_page

    loaded, lessons = open_course(course if submissions else recorded_course(out, course), lesson_names, submissions)
    roster = None if roster_file is None else read_roster(roster_file)
    steps = steps_of_course(loaded)
    files, read = read_submissions(submissions, out, loaded, lessons, roster, steps)
    rows, remarks = verdicts_in(out, loaded, list(files))
    known = {lesson.name: known_code(lesson, steps) for lesson in lessons}
    result = similarities(read, rows, known, groups_of(roster))
    pairs = [pair for pair in result.pairs if pair.bits >= (result.threshold if least is None else least)]
    remarks += [f"{path} of {student} is not Python, so it was not compared." for student, path in read.unreadable]
    page = out / "similar.html"
    with output_errors(page):
        out.mkdir(parents=True, exist_ok=True)
        write_whole(page, similar_page(result, pairs, files, remarks))
    print_remarks(remarks)
    print_pairs(pairs, result.threshold, result.size)
    click.echo(f"Side by side: {page}")


def read_submissions(
    submissions: Sequence[Path],
    out: Path,
    course: Course,
    lessons: Sequence[Lesson],
    roster: Roster | None,
    steps: Collection[str],
) -> tuple[FilesByStudent, ReadClass]:
    """(files by student, the same as they are compared) of `submissions`, or of the gradebook. At least two."""
    from grader.gradebook.similarity.reading import graded_texts, read_class, stored_texts
    from grader.intake.submissions.finding import find
    from grader.publish.progress_bar import progress_bar

    console = console_for(stderr=True)
    with progress_bar(console, console.is_terminal) as bar:
        task = bar.add_task("reading", total=None)
        if submissions:
            found = find(submissions, lessons, list(course.lessons.values()), roster)
            bar.update(task, total=2 * len(found))
            files = {}
            for submission in found:
                files[submission.student] = graded_texts(submission)
                bar.advance(task)
        else:
            files = stored_texts(out, [lesson.name for lesson in lessons])
            bar.update(task, total=2 * len(files), completed=len(files))
        read = read_class(files, steps, partial(bar.advance, task))
        bar.update(task, completed=2 * len(files))
    if len(files) < 2:
        fail(f"{count_text(len(files), 'submission was', 'submissions were')} found: a comparison needs two or more.")
    return files, read


def print_pairs(pairs: Sequence[SimilarPair], threshold: float, size: int) -> None:
    """A table of the pairs, each with its strongest reason."""
    from grader.publish.similar_page import reason_text

    if not pairs:
        click.echo(f"{size} submissions compared: no pair shares more than chance explains ({threshold:.1f} bits).")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("bits", justify="right")
    table.add_column("these two", min_width=16)
    table.add_column("the strongest reason")
    for pair in pairs[:MAX_IN_TABLE]:
        more = f" And {len(pair.shared) - 1} more." if len(pair.shared) > 1 else ""
        who = f"{printable(pair.one)}, {printable(pair.other)}"
        table.add_row(f"{pair.bits:.1f}", Text(who), Text(printable(reason_text(pair.shared[0])) + more))
    console_for().print(table)
    if len(pairs) > MAX_IN_TABLE:
        click.echo(f"... and {len(pairs) - MAX_IN_TABLE} more, in similar.html.")
    click.echo("Reasons to read them side by side, not a verdict: read both and speak with both students first.")
