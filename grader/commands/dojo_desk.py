"""What the commands of `dojo` share: the desk, the terminal, and what a student may name behind a command."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem
from rich.console import Console, RenderableType

from grader.commands.console import STOPPED, console_for, fail
from grader.commands.options import EXISTING_FOLDER
from grader.dojo.desk import Desk, student_course
from grader.dojo.naming import only_lesson
from grader.dojo.work import Exercises, Work, is_file, work_in
from grader.errors import UserError
from grader.lesson.lesson import Course, Lesson


def show(screen: Iterable[RenderableType]) -> None:
    out = console_for()
    for part in screen:
        out.print(part)


@contextlib.contextmanager
def desk(course: Path | None) -> Iterator[Desk]:
    """A student's desk. Ctrl-C ends the command with a sentence. Raises UserError."""
    stderr = Console(stderr=True)
    try:
        opened = Desk(
            student_course(course),
            complain=lambda sentence: click.echo(f"dojo: {sentence}", err=True),
            busy=lambda what: stderr.status(f"{what} …") if stderr.is_terminal else contextlib.nullcontext(),
        )
        with contextlib.closing(opened):
            yield opened
    except KeyboardInterrupt:
        if stderr.is_terminal:
            click.echo(err=True)  # the terminal has written ^C
        fail("stopped.", STOPPED, "dojo")


class LessonParam(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on
    """A lesson, or with `rows` also a row of one; completed from the lessons there are."""

    name = "lesson"

    def __init__(self, rows: bool = False) -> None:
        self._rows = rows

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            lessons = Course(student_course(ctx.params.get("course")), secrets=False).lessons.values()
        except UserError:
            return []
        words = {lesson.number: lesson.title for lesson in lessons}
        for lesson in lessons if self._rows else ():
            before = f"{lesson.number}." if incomplete[:1].isdigit() else ""
            words |= {before + item.name: lesson.title for item in lesson.items}
        found = [CompletionItem(word, help=title) for word, title in words.items() if word.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")]


exercises_option = click.option(
    "--course",
    type=EXISTING_FOLDER,
    help="Folder with exercises/, whose lessons run with your rights.  [default: the one that you are in; only what "
    "equals the installed lessons runs there]",
)


lessons_in_file_option = click.option(
    "--lesson",
    "named",
    multiple=True,
    type=LessonParam(rows=True),
    metavar="LESSON",
    help="The same as LESSON after FILE.",
)


def refuse_other_files(word: str) -> None:
    """Raise UserError for a word that is the path of a file which is neither Python nor a notebook."""
    if Path(word).is_file():
        raise UserError(f"{word} is not a Python file or a notebook: name a .py or .ipynb file, or a lesson.")


def selected_work(at: Desk, words: Sequence[str], rows: bool = False) -> tuple[Work, list[tuple[Lesson, str | None]]]:
    """What is to be checked, and which lessons of it, or `rows` (None for all); nothing where nobody has said it."""
    files = [word for word in words if is_file(word)]
    if len(files) > 1:
        raise UserError(f"One file at a time: {' and '.join(files)} are {len(files)}.")
    named = list[tuple[Lesson, str | None]]()
    for word in words:
        if not is_file(word):
            refuse_other_files(word)
            before = named[-1][0] if named else None
            named.append(at.find(word, before) if rows else (only_lesson(at.course, word), None))
    if not files:
        return Exercises(at.course), named
    work, inside = work_in(Path(files[0]), at.course, bool(named))
    return work, named or [(lesson, None) for lesson in inside]
