"""What `grade run` looks at before it grades: the course, this machine, limits, intake.csv, times of submission."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from grader.commands.console import fail, print_remarks
from grader.commands.options import FILE_PATH
from grader.errors import UserError
from grader.gradebook.files import output_errors, write_whole
from grader.intake.submissions.intake_csv import (
    INTAKE_FILE,
    IntakeLine,
    confirmed_lines,
    decisions,
    intake_text,
    read_intake,
    updated_lines,
)
from grader.lesson.lesson import Course
from grader.results.wording import count_text
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.probe import Isolation, at_least, probe

if TYPE_CHECKING:
    from grader.commands.run_context import RunContext
    from grader.intake.submissions.finding import FoundSubmissions
    from grader.intake.submissions.submission_times import ReadTimes
    from grader.lesson.lesson import Lesson

MAX_FAULTS = 20
GRADER_PROGRAM = "grader.publish.grader_process"
"""The module whose `main` a grader process runs. It grades and writes reports, and contains no secret."""


def check_lessons(lessons: Sequence[Lesson]) -> None:
    """Refuse to grade with a lesson that is broken, before any submission would fail because of it."""
    from grader.lesson.validation import lesson_faults

    faults = [f"{lesson.name}: {sentence}" for lesson in lessons for sentence in lesson_faults(lesson)]
    if faults:
        numbers = " ".join(dict.fromkeys(fault.partition("_")[0] for fault in faults))
        shown = "\n".join(faults[:MAX_FAULTS])
        fail(f"the course is broken, and nothing was graded. Fix it, then run `grade verify {numbers}`.\n{shown}")


def checked_isolation(require: str) -> Isolation:
    """This machine's isolation. Refuses to grade with less than required. Workers of a cluster check their own."""
    isolation = probe()
    if not at_least(isolation.level, require):
        fail(
            f"this machine isolates student code at level {isolation.level!r} only, and {require!r} is required. "
            f"{' '.join(isolation.missing)} Grade on a machine that offers more (see docs/security.md), or accept "
            f"less with --require {isolation.level} if you trust the submissions."
        )
    if isolation.level in ("weak", "none"):
        click.echo(f"grade: warning: isolation is {isolation.level!r}. {' '.join(isolation.missing)}", err=True)
    return isolation


def require_dask() -> None:
    """Refuse to grade on a cluster where Dask is not installed."""
    if find_spec("distributed") is None:
        fail("--cluster needs Dask, which is not installed: pip install 'backprop-ninja[cluster]'.")


def limits_from(timeout: float) -> Limits:
    """The limits of a submission, with `timeout` seconds for the file and for each step. Ends with a sentence."""
    try:
        return Limits.from_dict({"import_seconds": timeout, "step_seconds": timeout, "total_seconds": 6 * timeout})
    except (ValueError, TypeError) as error:
        fail(f"--timeout: {error}.")


MAX_INPUTS_NAMED = 5


def apply_intake(found: FoundSubmissions, out: Path, given: Path | None, course: Course) -> list[IntakeLine]:
    """Makes `found` read submissions as OUT/intake.csv and the file `given` say. Raises UserError.

    Of OUT/intake.csv only confirmed lines count; a file that is given confirms all of its lines.
    """
    lines = confirmed_and_given(out, given, course)
    if given is not None:
        names = {line.student for line in read_intake(given, course)}
        students = {arrival.student for arrival in found.arrivals}
        if names and names.isdisjoint(students):
            raise UserError(
                f"{given} names {', '.join(sorted(names)[:MAX_INPUTS_NAMED])}, and no submission of this run has "
                "that name: write the names as in grades.csv."
            )
    found.decided = decisions(lines)
    if given is not None:
        for submission in (found.read(student) for student in sorted(names & students)):
            for remark in submission.remarks:
                if remark.kind == "no_file":
                    raise UserError(f"{given}, {submission.student}: {remark.message}")
    return lines


class GivenSubmissions:
    """The submissions that the command line names. It has what `grade run` needs of a FollowedFolder."""

    def __init__(self, context: RunContext) -> None:
        """Finds them, with their times, and prints what is not clear. Raises UserError."""
        from grader.intake.submissions.finding import find

        self._out, roster = context.out, context.roster
        self.found = find(
            context.submissions, context.lessons, context.course_lessons, roster, code_page=context.code_page
        )
        set_times(self.found, context, context.quiet)
        self._lines = apply_intake(self.found, context.out, context.intake_file, context.loaded)
        print_remarks(f"{'roster: ' if roster else ''}{remark}" for remark in self.found.remarks)

    def store_intake(self) -> list[str]:
        """See store_intake below. Raises OutputError."""
        return store_intake(self.found, self._out, self._lines)


def confirmed_and_given(out: Path, given: Path | None, course: Course) -> list[IntakeLine]:
    """The lines of OUT/intake.csv, and those of the file `given`, which are confirmed. Raises UserError."""
    new = [] if given is None else confirmed_lines(read_intake(given, course))
    keys = {line.key for line in new}
    return [line for line in stored_lines(out, course) if line.key not in keys] + new


def stored_lines(out: Path, course: Course) -> list[IntakeLine]:
    """The lines of OUT/intake.csv; none where there is no such file. Raises UserError."""
    return read_intake(out / INTAKE_FILE, course) if (out / INTAKE_FILE).is_file() else []


def store_intake(found: FoundSubmissions, out: Path, lines: Sequence[IntakeLine]) -> list[str]:
    """Writes OUT/intake.csv, if there is anything to decide; returns sentences about it. Raises OutputError."""
    path = out / INTAKE_FILE
    kept, edited = updated_lines(lines, found.questions, found.lesson_names)
    if not kept and not path.is_file():
        return []
    with output_errors(path):
        write_whole(path, intake_text(kept))
    sentences = []
    open_ = [line for line in kept if not line.confirmed]
    guessed = {line.student for line in open_ if line.guess}
    unread = len({line.student for line in open_} - guessed)
    for count, what in (
        (len(guessed), "can be read in several ways: edit `guess` in"),
        (unread, f"{'have' if unread > 1 else 'has'} no file that is a lesson's: if one should count, write it to"),
    ):
        if count:
            sentences.append(f"{count_text(count, 'submission')} {what} {path}, then run again with --intake {path}.")
    if edited:
        sentences.append(
            f"{path} was edited for {', '.join(edited[:MAX_INPUTS_NAMED])}, which counts only with --intake."
        )
    return sentences


class CodePageParam(click.ParamType):  # type: ignore[type-arg]
    """A code page such as cp932."""

    name = "code"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            str(value).encode("ascii").decode(str(value))
            return str(value)
        except (LookupError, ValueError):
            self.fail(f"{value!r} is no code page; expected a name such as cp932, gbk or cp866.", param, ctx)


MAX_BAD_LINES_SHOWN, MAX_UNKNOWN_LINES_SHOWN = 5, 20


times_option = click.option(
    "--times",
    "times_files",
    multiple=True,
    type=FILE_PATH,
    metavar="FILE",
    help="When students submitted (docs/assignments.md).",
)


def set_times(found: FoundSubmissions, context: RunContext, quiet: bool) -> None:
    """Give the submissions their times, from the roster, earlier runs' files and `--times`; print what is not clear.

    Raises UserError.
    """
    from grader.intake.submissions.submission_times import NoZone, read_times, times_in_roster

    known, due = context.known, None if context.assignment is None else context.assignment.due
    # an offset is no zone: it changes with the season
    zone = due.tzinfo if due is not None and isinstance(due.tzinfo, ZoneInfo) else None
    if known.roster is not None:
        try:
            read = times_in_roster(known.roster, known.roster_name, zone)
            print_first([*read.bad, *found.set_times(read.times, replaces=False)])
            print_summary_of_times(known.roster_name, read, quiet)
        except NoZone as error:
            print_first([str(error)] if due is not None else [])
    for times in known.remembered.values():
        found.set_times(times)  # the run that was given the file has said what is not clear in it
    for file in context.times_files:
        read = read_times(file, zone)
        if read.bad:
            more = (
                f" {count_text(len(read.bad) - MAX_BAD_LINES_SHOWN, 'more line')} cannot be read."
                if len(read.bad) > MAX_BAD_LINES_SHOWN
                else ""
            )
            raise UserError(" ".join(read.bad[:MAX_BAD_LINES_SHOWN]) + more)
        print_first(found.set_times(read.times))
        print_summary_of_times(file.name, read, quiet)
        known.times[str(file)] = list(read.times)


def print_first(sentences: Sequence[str]) -> None:
    print_remarks(sentences[:MAX_UNKNOWN_LINES_SHOWN])
    if len(sentences) > MAX_UNKNOWN_LINES_SHOWN:
        rest = count_text(len(sentences) - MAX_UNKNOWN_LINES_SHOWN, "more line is", "more lines are")
        click.echo(f"grade: {rest} like these.", err=True)


def print_summary_of_times(file: str, read: ReadTimes, quiet: bool) -> None:
    if read.times and not quiet:
        zone = f", in the time zone {read.zone}" if read.zone is not None else ""
        click.echo(f"grade: {file}: {count_text(len(read.times), 'submission time')}{zone}.", err=True)
