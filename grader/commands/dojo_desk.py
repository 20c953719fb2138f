"""What the commands of `dojo` share: a student's desk, and the terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from rich.console import Console, RenderableType

from grader.commands.console import STOPPED, fail
from grader.dojo.desk import Desk
from grader.dojo.training.setup import training_course


def console() -> Console:
    """Colours on a terminal, plain text of 80 columns elsewhere."""
    return Console(highlight=False, markup=False, emoji=False)


def show(screen: Iterable[RenderableType]) -> None:
    out = console()
    for part in screen:
        out.print(part)


@contextlib.contextmanager
def desk(course: Path | None) -> Iterator[Desk]:
    """A student's desk. Ctrl-C ends the command with a sentence. Raises UserError."""
    stderr = Console(stderr=True)
    try:
        opened = Desk(
            training_course(course),
            complain=lambda sentence: click.echo(f"dojo: {sentence}", err=True),
            busy=lambda what: stderr.status(f"{what} …") if stderr.is_terminal else contextlib.nullcontext(),
        )
        with contextlib.closing(opened):
            yield opened
    except KeyboardInterrupt:
        if stderr.is_terminal:
            click.echo(err=True)  # the terminal has written ^C
        fail("stopped.", STOPPED, "dojo")
