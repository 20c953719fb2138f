"""`grade similar`: pairs of submissions that share what few others in the class have."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import click
from rich.table import Table
from rich.text import Text

from grader.commands.checks import open_course
from grader.commands.console import console_for, print_remarks, printable
from grader.commands.opened_gradebook import read_gradebook, recorded_course
from grader.commands.options import CourseFolder, LessonNames, Out, RosterFile
from grader.errors import UserError
from grader.gradebook.files import output_errors, write_whole
from grader.gradebook.similarity.pairs import SimilarPair, similarities
from grader.gradebook.similarity.reading import (
    groups_of,
    known_code,
    read_class,
    steps_of_course,
    stored_texts,
    verdicts_in,
)
from grader.intake.submissions.roster import read_roster
from grader.publish.instructor_pages import reason_text, similar_page
from grader.publish.progress_bar import progress_bar
from grader.results.wording import count_text

MAX_IN_TABLE = 20


def similar(out: Out, lesson_names: LessonNames, roster_file: RosterFile, course: CourseFolder) -> None:
    """Finds submissions in the gradebook that share rare wrong answers or code, of each lesson the attempt that counts.

    Other names, another order or another layout of the code make no difference. Stubs, the course's own answers and
    what many students write do not count, nor do right answers in common forms. Students with the same entry in the
    roster's column `group` are compared as one.

    Examples:
      grade similar -o hw2 --roster roster.csv

    A pair is a reason to read two submissions side by side. It is never a verdict.
    """
    loaded, lessons = open_course(recorded_course(out, course), lesson_names)
    roster = None if roster_file is None else read_roster(roster_file)
    with read_gradebook(out):  # there must be one
        files = stored_texts(out, [lesson.name for lesson in lessons])
    if len(files) < 2:
        count = count_text(len(files), "submission was", "submissions were")
        raise UserError(f"{count} found: a comparison needs two or more.")
    steps, console = steps_of_course(loaded), console_for(stderr=True)
    with progress_bar(console, console.is_terminal) as bar:
        task = bar.add_task("comparing", total=len(files))
        read = read_class(files, steps, partial(bar.advance, task))
    rows, remarks = verdicts_in(out, loaded, list(files))
    known = {lesson.name: known_code(lesson, steps) for lesson in lessons}
    result = similarities(read, rows, known, groups_of(roster))
    pairs = [pair for pair in result.pairs if pair.bits >= result.threshold]
    remarks += [f"{path} of {student} is not Python, so it was not compared." for student, path in read.unreadable]
    page = out / "similar.html"
    with output_errors(page):
        write_whole(page, similar_page(result, pairs, files, remarks))
    print_remarks(remarks)
    print_pairs(pairs, result.threshold, result.size)
    click.echo(f"Side by side: {page}")


def print_pairs(pairs: Sequence[SimilarPair], threshold: float, size: int) -> None:
    """A table of the pairs, each with its strongest reason."""
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
