"""Shared by the commands: exit codes, the one handler of errors, and what a mistyped command line should have been."""

from __future__ import annotations

import difflib
import errno
import os
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click
from rich.console import Console

from grader.commands.options import EXISTING_FOLDER
from grader.errors import GraderFault, UserError
from grader.lesson.paths import course_around, installed_course, nearest_course
from grader.publish.inert import terminal_line

if TYPE_CHECKING:
    from grader.lesson.lesson import Course, Lesson

BELOW, UNUSABLE, FAULT, STOPPED = 1, 2, 3, 130
UNWRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT}
"""What a user can fix: a permission, a full disk. Any other error of the system is a fault of this program."""


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

    A command line that cannot be used, Ctrl-C, a missing permission and a full disk are reported in the same way.
    `program` is the command's name, with which each sentence begins.
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
        except ModuleNotFoundError as error:
            if error.name not in ("torch", "numpy"):
                raise
            where = f"{sys.executable} finds no {error.name}"
            fail(f"{where}. Install it there, or load the module that contains it.", program=self.program)
        except (KeyboardInterrupt, click.Abort):
            fail("stopped.", STOPPED, self.program)
        except OSError as error:
            if error.errno not in UNWRITABLE:
                raise
            fail(f"{error.filename or 'the output'} cannot be read or written: {error.strerror}.", program=self.program)

    def _refuse(self, error: click.UsageError) -> NoReturn:
        if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
            raise error
        fail(usage_sentence(error, self.program), error.exit_code, self.program)


def find_course(given: Path | None) -> Path:
    """The folder `given`, which is not read here, or the course that this package is a part of. Raises UserError.

    Never the current folder unasked: it may be a student's, and a course's code runs next to the secrets.
    """
    if given is not None:
        return given
    installed, around = installed_course(), course_around()
    if around is not None and around.resolve() != installed:
        raise UserError(
            f"{around} has lessons of its own, and `grade` takes none from the folder that it is typed in. If it is "
            f"your course, add --course {shlex.quote(os.path.relpath(around))}; if a student wrote in it, name your "
            "course with --course."
        )
    if installed is None:
        raise UserError("no course found: name the folder that has exercises/ and solutions/ with --course.")
    return installed


def open_course(
    given: Path | None, names: Sequence[str], submissions: Sequence[Path] = ()
) -> tuple[Course, list[Lesson]]:
    """(the course at `given` or that of this package, the lessons that `names` name, or all). Raises UserError."""
    from grader.lesson.lesson import Course  # torch comes with it

    course = Course(find_course(given))
    refuse_course_in_submissions(course.root, submissions)
    return course, list(dict.fromkeys(map(course.find, names))) or list(course.lessons.values())


def refuse_course_in_submissions(course: Path, submissions: Sequence[Path]) -> None:
    """Raise UserError where one of the `submissions` could hold the course's code, which runs next to the secrets.

    The course that this package is a part of may be graded: who can change its lessons can change the grader.
    """
    root = course.resolve()
    if root == installed_course():
        return
    for each in submissions:
        place, parts = each.resolve(), [(root / name).resolve() for name in ("exercises", "solutions")]
        if any(part.is_relative_to(place) for part in (root, *parts)) or any(map(place.is_relative_to, parts)):
            raise UserError(
                f"{each} is to be graded, and the course {course} is in it or around it: a course's code runs with "
                "your rights. Keep the course in a folder of its own, and name that with --course."
            )


def refuse_planted_results(out: Path, submissions: Iterable[Path]) -> None:
    """Raise UserError if OUT exists and is in a submission: the student could have written the gradebook in it."""
    places = {out.parent.resolve() / out.name, out.resolve()} if os.path.lexists(out) else set()
    for submission in submissions:
        if any(place.is_relative_to(submission) for place in places):
            raise UserError(
                f"{out} is in the submission {submission.name}, whose author may have written the results that it "
                "holds. Give a folder elsewhere after -o."
            )


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
    help="Folder with exercises/ and solutions/; its code runs with your rights.",
)


def print_remarks(remarks: Iterable[str]) -> None:
    """Print each remark as a line of its own on standard error."""
    for remark in remarks:
        click.echo(f"grade: {printable(remark)}", err=True)


def printable(text: str) -> str:
    """A student's text, safe to print: control characters are shown, and a terminal does not obey them."""
    return terminal_line(text)


def usage_sentence(error: click.UsageError, program: str) -> str:
    """What click found, an example of the command, and where all its forms are listed."""
    command = error.ctx.command if error.ctx is not None else None
    words, context = list[str](), error.ctx
    while context is not None and context.parent is not None:  # command_path begins otherwise after `python -m`
        words.insert(0, context.info_name or "")
        context = context.parent
    found = error.format_message().rstrip(".")
    example = example_of(command, " ".join([program, *words])) if command is not None else ""
    such_as, forms = (f" Type, for example, `{example}`;", "all forms") if example else ("", "what it takes")
    return f"{found}.{such_as} `{' '.join([program, *words, '--help'])}` shows {forms}."


def example_of(command: click.Command, beginning: str) -> str:
    """The first example in the command's help; "" where it has none."""
    for line in (command.epilog or "").splitlines():
        typed = line.strip().split("  ")[0]
        if typed.startswith(f"{beginning} "):
            return typed
    return ""


def unknown_command(words: Sequence[str], commands: Sequence[str], program: str) -> str:
    """The sentence for a first word that does not name a command. `words` are all words after the program's name."""
    word, others = words[0], words[1:]
    if others and others[0] in commands:
        return f"The command comes first: type `{words_to_type(program, others[0], word, *others[1:])}`."
    if near := difflib.get_close_matches(word, commands, n=1):
        return f"There is no command {word!r}. Did you mean `{words_to_type(program, near[0], *others)}`?"
    if program == "dojo" and is_lesson(word):
        once, always = words_to_type(program, "check", *words), words_to_type(program, "watch", *words)
        return f"Put a command before the lesson: `{once}` checks it once, `{always}` whenever you save."
    if program == "dojo" and not word.startswith("-"):
        return (
            f"There is no command {word!r}; `dojo --help` lists them. To check a lesson or one of its rows, type "
            f"`{words_to_type(program, 'check', *words)}`."
        )
    return f"There is no command {word!r}; `{program} --help` lists them."


def words_to_type(*words: str) -> str:
    return shlex.join(words)


def is_lesson(word: str) -> bool:
    """Whether it is a lesson's number or name, or begins with one, as `03.dprobs` does."""
    name = word.partition(".")[0]
    if name.isdigit():
        return True
    course: Path | None = nearest_course(None)
    folders = (course / "exercises").glob("*_*") if course is not None else ()
    return any(name in (folder.name, folder.name.partition("_")[2]) for folder in folders)
