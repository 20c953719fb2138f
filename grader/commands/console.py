"""Shared by the commands: exit codes, the one handler of errors, the option --course."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console

from grader.errors import GraderFault, UserError
from grader.lesson.paths import nearest_course
from grader.publish.inert import terminal

GRADED, BELOW, UNUSABLE, FAULT, STOPPED = 0, 1, 2, 3, 130


def console_for(stderr: bool = False) -> Console:
    """Where commands print. Text is printed as it is, even if it looks like rich's markup."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def fail(message: str, status: int = UNUSABLE, program: str = "grade") -> NoReturn:
    """Print `message` on standard error, with control characters shown, and end with `status`."""
    click.echo("\n".join(map(terminal, f"{program}: {message}".split("\n"))), err=True)
    raise SystemExit(status)


class ReportingGroup(click.Group):
    """A group of commands that reports every UserError and GraderFault as a sentence, with its exit status.

    `program` is the command's name, with which each sentence begins.
    """

    def __init__(self, *arguments: Any, program: str = "grade", **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.program = program

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (UserError, GraderFault) as error:
            fail(str(error), error.exit_status, self.program)


def find_course(given: Path | None) -> Path:
    """The folder `given`, which is not read here, or the course around the current folder. Raises UserError."""
    found = given or nearest_course(None)
    if found is None:
        raise UserError(
            "no course found: run this inside a folder that has exercises/ and solutions/, or name one with --course."
        )
    return found


course_option = click.option(
    "--course",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with exercises/ and solutions/.",
)


def printable(text: str) -> str:
    """A student's text, safe to print: control characters are shown, and a terminal does not obey them."""
    return terminal(text)
