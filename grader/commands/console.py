"""Shared by the commands: exit codes, the one handler of errors, the option --course."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from rich.console import Console

from grader.commands.mistyped import unknown_command, usage_sentence
from grader.commands.options import EXISTING_FOLDER
from grader.errors import GraderFault, UserError
from grader.lesson.paths import nearest_course
from grader.publish.inert import terminal_line

if TYPE_CHECKING:
    from grader.lesson.lesson import Course, Lesson

GRADED, BELOW, UNUSABLE, FAULT, STOPPED = 0, 1, 2, 3, 130


def console_for(stderr: bool = False) -> Console:
    """Where commands print. Text is printed as it is, even if it looks like rich's markup."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def fail(message: str, status: int = UNUSABLE, program: str = "grade") -> NoReturn:
    """Print `message` on standard error, with control characters shown, and end with `status`.

    A terminal breaks a long line inside a word; here it is broken between words.
    """
    lines: Iterable[str] = map(terminal_line, f"{program}: {message}".split("\n"))
    if sys.stderr.isatty():
        columns = shutil.get_terminal_size().columns
        lines = (textwrap.fill(line, columns, break_long_words=False, break_on_hyphens=False) for line in lines)
    click.echo("\n".join(lines), err=True)
    raise SystemExit(status)


class ReportingGroup(click.Group):
    """A group of commands that reports every UserError and GraderFault as a sentence, with its exit status.

    A command line that cannot be used is reported in the same way. `program` is the command's name, with which each
    sentence begins.
    """

    def __init__(self, *arguments: Any, program: str = "grade", **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.program = program

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        try:
            return super().make_context(*arguments, **options)
        except click.UsageError as error:
            self._refuse(error)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            fail(unknown_command(args, self.list_commands(ctx), self.program), program=self.program)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (UserError, GraderFault) as error:
            fail(str(error), error.exit_status, self.program)
        except click.UsageError as error:
            self._refuse(error)

    def _refuse(self, error: click.UsageError) -> NoReturn:
        if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
            raise error
        fail(usage_sentence(error, self.program), error.exit_code, self.program)


def find_course(given: Path | None) -> Path:
    """The folder `given`, which is not read here, or the course around the current folder. Raises UserError."""
    found = given or nearest_course(None)
    if found is None:
        raise UserError(
            "no course found: run this inside a folder that has exercises/ and solutions/, or name one with --course."
        )
    return found


def open_course(given: Path | None, names: Sequence[str]) -> tuple[Course, list[Lesson]]:
    """(the course at `given` or around the current folder, the lessons that `names` name, or all). Raises UserError."""
    from grader.lesson.lesson import Course  # torch comes with it

    course = Course(find_course(given))
    return course, list(dict.fromkeys(map(course.find, names))) or list(course.lessons.values())


def require_solutions(lessons: Sequence[Lesson]) -> None:
    """Raise UserError if a lesson has no folder in solutions/."""
    for lesson in lessons:
        if not lesson.solution.is_dir():
            raise UserError(
                f"{lesson.solution} is missing: grading needs the course's solutions/ with the hidden suites."
            )


course_option = click.option(
    "--course",
    type=EXISTING_FOLDER,
    help="Folder with exercises/ and solutions/.",
)


def print_remarks(remarks: Iterable[str]) -> None:
    """Print each remark as a line of its own on standard error."""
    for remark in remarks:
        click.echo(f"grade: {printable(remark)}", err=True)


def printable(text: str) -> str:
    """A student's text, safe to print: control characters are shown, and a terminal does not obey them."""
    return terminal_line(text)
