"""How the commands print."""

from __future__ import annotations

from collections.abc import Iterable

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from grader.publish.inert import terminal_line


def console_for(stderr: bool = False) -> Console:
    """Where commands print. Text is printed as it is, even if it looks like rich's markup."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


class ProgressBar(Progress):
    """Counts, time and ETA, then a task's description; it shows nothing if it is `quiet`, or without a terminal."""

    def __init__(self, console: Console, quiet: bool = False) -> None:
        counts, times = (BarColumn(), MofNCompleteColumn()), (TimeElapsedColumn(), TextColumn("left"))
        columns = *counts, *times, TimeRemainingColumn(), TextColumn("{task.description}", markup=False)
        super().__init__(*columns, console=console, transient=True, disable=quiet or not console.is_terminal)


def say(*lines: str) -> None:
    """Print lines on standard output, with nothing in them that a terminal or a job's runner obeys."""
    for line in lines:
        click.echo(terminal_line(line))


def print_remarks(remarks: Iterable[str], program: str = "grade") -> None:
    """Print each remark as a line of its own on standard error."""
    for remark in remarks:
        click.echo(f"{program}: {terminal_line(remark)}", err=True)
