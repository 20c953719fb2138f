"""`dojo start`: the folder in which a student works, and the first five minutes."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import click

from grader.commands.dojo_desk import console, course_option, desk, show
from grader.commands.options import EXISTING_FOLDER
from grader.errors import UserError
from grader.lesson.lesson import Course
from grader.lesson.paths import WITH_EXERCISES, has_lessons, nearest_course

EPILOG = """\b
Examples:
  dojo start               makes the folder backprop-ninja with all lessons
  dojo start my-work       another name
  dojo start               where exercises/ is already: only the guide
  dojo start hard --bare   harder: you choose what each gradient is computed from
  dojo start --from ../kit in the folder of a new release: copies what you wrote in ../kit

\b
Exit status: 0 the folder is there, 2 it cannot be made (the message says why).
"""


@click.command("start", epilog=EPILOG)
@click.argument("folder", type=click.Path(path_type=Path), required=False, metavar="[FOLDER]")
@click.option("--bare", is_flag=True, help="Empty parentheses: you write what each gradient is computed from.")
@click.option(
    "--guide/--no-guide",
    "guided",
    default=None,
    help="Whether the first five minutes follow.  [default: in a terminal]",
)
@click.option(
    "--from",
    "before",
    type=EXISTING_FOLDER,
    metavar="OLD",
    help="Copy what you wrote in the folder OLD.",
)
@course_option
def start(folder: Path | None, bare: bool, guided: bool | None, before: Path | None, course: Path | None) -> None:
    """Makes a folder to work in.

    Each lesson in it has an empty backward.py. Then the command guides you through the first five minutes. In a folder
    that has exercises/ already, such as the one from your instructor, you get only the guide. The new folder is called
    backprop-ninja unless you name it. The lessons come from the course that you are in; outside of a course, they are
    those that were installed with this command.

    If your instructor gives out a new release, unpack it into a new folder. With --from, the command copies your work
    into it. OLD stays as it is.
    """
    from grader.dojo.start import make_working_folder

    guided = sys.stdin.isatty() and sys.stdout.isatty() if guided is None else guided
    if folder is None and not bare and course is None and is_working_folder(Path.cwd()):
        if before is not None:
            copy_from(before, Path.cwd())
            return
        follow_guide(Path.cwd(), guided)
        return
    folder = folder or Path("backprop-ninja")
    if is_working_folder(folder) and not bare and course is None and before is None:
        click.echo(
            f"{folder}{os.sep} is there already, with your work in it. Go on there:\n\n    cd {folder}\n    dojo"
        )
        return
    if before is not None:
        require_lessons(before)  # before there is a new folder, which the next attempt would find
    source = nearest_course(course) or (WITH_EXERCISES if has_lessons(WITH_EXERCISES) else None)
    if source is None:
        raise UserError("no lessons were installed with `dojo`. Name a folder that has exercises/ with --course.")
    loaded = Course(source, secrets=False)
    make_working_folder(loaded, folder, bare)
    click.echo(f"{folder}{os.sep} has {len(loaded.lessons)} lessons. Next:\n\n    cd {folder}\n    dojo")
    if before is not None:
        copy_from(before, folder)
    elif guided:
        click.echo()
        follow_guide(folder, guided)


def copy_from(before: Path, folder: Path) -> None:
    """Copy a student's work from another folder, and say what was copied. Raises UserError."""
    from grader.dojo.start import take_over

    require_lessons(before)
    if before.resolve() == folder.resolve():
        raise UserError(f"{before} is the folder that you are in: name the one in which you worked before.")
    sentences = take_over(Course(before, secrets=False), Course(folder, secrets=False))
    click.echo("\n".join(sentences) or f"Nothing is written in {before} yet: nothing was copied.")


def require_lessons(before: Path) -> None:
    if not has_lessons(before):
        raise UserError(f"{before} has no folder exercises/: name the folder in which you worked before.")


def is_working_folder(folder: Path) -> bool:
    """Whether students work here: it has lessons and no answers."""
    return has_lessons(folder) and not (folder / "solutions").is_dir()


def follow_guide(folder: Path, waits: bool) -> None:
    """Say what to open, and with `waits` go on to `dojo watch` with the guide below its screen."""
    from grader.dojo.file import own_file, shown_path
    from grader.dojo.milestones import Guide, welcome

    with desk(folder) as at:
        lesson = at.current()
        show(welcome(lesson, shown_path(lesson.exercise / "README.md"), shown_path(own_file(lesson))))
        if not waits:
            click.echo(f"\nThen type: dojo watch {lesson.number}")
            return
        click.echo("\nPress Enter to begin. q ends it at any time.")
        if not input_line():
            return
        at.memory.set_last_lesson(lesson)
        at.judge.prepare(lesson)
        at.busy = contextlib.nullcontext
        from grader.dojo.watch import WatchSession

        WatchSession(at, lesson, console(), lessons=[lesson], guide=Guide()).run()


def input_line() -> bool:
    """Whether somebody pressed Enter without a q before it."""
    return not (line := sys.stdin.readline()).strip().lower().startswith("q") and bool(line)
