"""What the commands of `grade` print."""

from __future__ import annotations

from collections.abc import Iterable

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from grader.publish.inert import terminal_line


def console_for(stderr: bool = False) -> Console:
    """Where commands print. Text is printed as it is, even if it looks like rich's markup."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def progress_bar(console: Console, live: bool) -> Progress:
    """A bar with counts, time and ETA, which shows nothing unless `live`. A task's description follows its ETA."""
    return Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
        console=console,
        transient=True,
        disable=not live,
    )


def print_remarks(remarks: Iterable[str]) -> None:
    """Print each remark as a line of its own on standard error."""
    for remark in remarks:
        click.echo(f"grade: {terminal_line(remark)}", err=True)
