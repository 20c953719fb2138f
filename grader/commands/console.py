"""What the commands share: exit codes, the course that is meant, sentences on standard error, a bar with ETA."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from rich.console import Console

from grader.errors import GraderFault, UserError
from grader.lesson.paths import nearest_course
from grader.publish.inert import terminal_line
from grader.publish.wording import first_names

if TYPE_CHECKING:
    from grader.gradebook.grading.run import RunOutcome

MOST_REASONS, MOST_OF_A_REASON = 5, 600
RULER = re.compile(r"[=_-]{4,}")
GRADED, BELOW, UNUSABLE, FAULT, STOPPED = 0, 1, 2, 3, 130


def console_for(stderr: bool = False) -> Console:
    """Where commands print: text is text, whether it looks like rich's markup, an emoji's name or a number."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def fail(message: str, status: int = UNUSABLE) -> NoReturn:
    click.echo("\n".join(map(terminal_line, f"grade: {message}".split("\n"))), err=True)
    raise SystemExit(status)


class ReportingGroup(click.Group):
    """A group of commands that reports every UserError and GraderFault as a sentence, with its exit status."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (UserError, GraderFault) as error:
            fail(str(error), error.exit_status)


def find_course(given: Path | None) -> Path:
    """The course that is meant, or a sentence and exit status 2; one that is given is not looked into here."""
    found = given or nearest_course(None)
    if found is None:
        fail("no course found: run this inside a folder that has exercises/ and solutions/, or name one with --course.")
    return found


course_option = click.option(
    "--course",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with exercises/ and solutions/.",
)


def printable(text: str) -> str:
    """A student's text made harmless for a terminal: control characters are shown, not obeyed."""
    return terminal_line(text)


def what_failed(reasons: Mapping[str, str], count: int) -> list[str]:
    """A line for each reason of ours for which submissions could not be graded, with the students' names.

    `reasons` are {student: reason}; `count` is the number of submissions of the run.
    """
    who: dict[str, list[str]] = {}
    for student, reason in reasons.items():
        who.setdefault(shortened(reason), []).append(student)
    lines = [
        f"{len(names)} of {count} could not be graded ({first_names(names, 10)}): {reason}"
        for reason, names in sorted(who.items(), key=lambda entry: -len(entry[1]))
    ]
    further = [f"... and {len(lines) - MOST_REASONS} other reasons."] if lines[MOST_REASONS:] else []
    advice = ["They have no score until the same command, run again, grades them."] if lines else []
    return [*map(printable, lines[:MOST_REASONS]), *further, *advice]


def shortened(reason: str) -> str:
    """A reason in one line without pytest's rulers; of a long one the beginning and the end."""
    line = " ".join(RULER.sub("", reason).split())
    half = MOST_OF_A_REASON // 2
    return line if len(line) <= MOST_OF_A_REASON else f"{line[:half]} ... {line[-half:]}"


def summary(console: Console, outcome: RunOutcome, count: int, out: Path, left_out: Sequence[str] = ()) -> None:
    graded = len(outcome.results)
    if outcome.stopped:
        console.print(f"Stopped: {graded} of {count} were graded and are on disk.", markup=False)
    else:
        full = sum(results.percent >= 100 for results in outcome.results)
        console.print(
            f"{graded} graded, {full} with full marks."
            + (f" {outcome.faults} could not be graded." if outcome.faults else ""),
            markup=False,
        )
    if left_out:
        numbers = ", ".join(name.partition("_")[0] for name in left_out)
        console.print(
            f"Not counted: {numbers}, which no submission contains. --lesson names the lessons that count.",
            markup=False,
            soft_wrap=True,
        )
    if outcome.class_size > graded:
        console.print(f"The gradebook has {outcome.class_size} students.", markup=False)
    if outcome.results:
        click.echo(f"The class:    {out / 'index.html'}")
        click.echo(f"The scores:   {out / 'grades.csv'}")
        click.echo(
            f"Each student: {printable(str(out / outcome.results[0].student / 'report.html'))}"
            + (" and so on" if graded > 1 else "")
        )
