"""What `grade run` prints at the end: how many submissions were graded, why others were not, where the results are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from grader.commands.console import printable
from grader.results.wording import first_names

if TYPE_CHECKING:
    from grader.gradebook.grading.run import RunOutcome

MOST_REASONS, MOST_OF_A_REASON = 5, 600
RULER = re.compile(r"[=_-]{4,}")


def what_failed(reasons: Mapping[str, str], count: int) -> list[str]:
    """One line per fault of the grader, with the students whose submissions could not be graded because of it.

    `reasons` are {student: reason}; `count` is the number of submissions of the run.
    """
    who: dict[str, list[str]] = {}
    for student, reason in reasons.items():
        who.setdefault(shorten(reason), []).append(student)
    lines = [
        f"{len(names)} of {count} could not be graded ({first_names(names, 10)}): {reason}"
        for reason, names in sorted(who.items(), key=lambda entry: -len(entry[1]))
    ]
    further = [f"... and {len(lines) - MOST_REASONS} other reasons."] if lines[MOST_REASONS:] else []
    advice = ["They have no score until the same command, run again, grades them."] if lines else []
    return [*map(printable, lines[:MOST_REASONS]), *further, *advice]


def shorten(reason: str) -> str:
    """A reason on one line, without pytest's rulers. A long one is cut in the middle."""
    line = " ".join(RULER.sub("", reason).split())
    half = MOST_OF_A_REASON // 2
    return line if len(line) <= MOST_OF_A_REASON else f"{line[:half]} ... {line[-half:]}"


def print_summary(console: Console, outcome: RunOutcome, count: int, out: Path, left_out: Sequence[str] = ()) -> None:
    """Print how many of `count` submissions were graded, and where the results are.

    `left_out` are the names of lessons that no submission contains.
    """
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
