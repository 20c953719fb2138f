"""`dojo start`, `dojo watch` and `dojo open`: a folder to work in, and the terminal that checks a saved file."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import click

from grader.commands.console import console_for
from grader.commands.dojo_desk import LessonParam, desk, exercises_option, selected_work, show
from grader.dojo.file import shown_path
from grader.dojo.overview import welcome
from grader.errors import UserError
from grader.lesson.lesson import Course
from grader.lesson.paths import WITH_EXERCISES, course_around, has_lessons, nearest_course
from grader.results.wording import count_text

START_EPILOG = """\b
Examples:
  dojo start               makes the folder backprop-ninja with all lessons
  dojo start my-work       another name
  dojo start               in the folder from your instructor: only where to begin
  dojo start hard --bare   harder: you choose what each gradient is computed from

\b
Exit status: 0 the folder is there, 2 it cannot be made (the message says why).
"""


@click.command("start", epilog=START_EPILOG)
@click.argument("folder", type=click.Path(path_type=Path), required=False, metavar="[FOLDER]")
@click.option("--bare", is_flag=True, help="Empty parentheses: you write what each gradient is computed from.")
@exercises_option
def start_command(folder: Path | None, bare: bool, course: Path | None) -> None:
    """Makes a folder to work in.

    Each lesson in it has an empty backward.py. Where there is a folder exercises/ already, here or above, you work in
    that one, and the command says where to begin. The new folder is called backprop-ninja unless you name it. The
    lessons come from the course that you are in; outside of a course, they are those that were installed with this
    command.
    """
    from grader.dojo.start import make_working_folder

    around = course_around() if course is None else None
    if around is not None and folder is None and not bare:
        if around != Path.cwd() or not is_working_folder(around):
            click.echo(f"You work in {exercises_in(around)}. For a folder of its own: dojo start my-work\n")
        with desk(None) as at:
            show(welcome(at.current()))
        return
    folder = folder or Path("backprop-ninja")
    if is_working_folder(folder) and not bare and course is None:
        click.echo(
            f"{folder}{os.sep} is there already, with your work in it. Go on there:\n\n    cd {folder}\n    dojo"
        )
        return
    source = nearest_course(course) or (WITH_EXERCISES if has_lessons(WITH_EXERCISES) else None)
    if source is None:
        raise UserError("no lessons were installed with `dojo`. Name a folder that has exercises/ with --course.")
    loaded = Course(source, secrets=False)
    make_working_folder(loaded, folder, bare)
    click.echo(f"{folder}{os.sep} has {count_text(len(loaded.lessons), 'lesson')}. Next:\n\n    cd {folder}\n    dojo")
    if around is not None:
        click.echo(f"\n{exercises_in(around)} is another folder: `dojo` counts the one that you are in.")


def exercises_in(folder: Path) -> str:
    return shown_path(folder / "exercises") + os.sep


def is_working_folder(folder: Path) -> bool:
    """Whether students work here: it has lessons and no answers."""
    return has_lessons(folder) and not (folder / "solutions").is_dir()


WATCH_EPILOG = """\b
Examples:
  dojo watch                  the lesson you last worked on, else the first unfinished one
  dojo watch 03               lesson 03
  dojo watch 03 --open        with the report in your browser, new after each save
  dojo watch that.ipynb       a notebook or a script: save it, and it is checked
  dojo watch that.ipynb 05    lesson 05 of it

\b
Keys: n and p: the next and the previous row to fix or write, and after the last one the next lesson
with something to do; h a hint; l the list; r the report in your browser; q quits.
"""
OPEN_EPILOG = """\b
Examples:
  dojo open 03                lesson 03, and the page in your browser
  dojo open 03 --port 8000    on a remote machine: ssh -L 8000:127.0.0.1:8000 there

\b
Only programs on your own machine reach the page, and only with the token in its address.
"""
words_argument = click.argument("words", nargs=-1, type=LessonParam(), metavar="[FILE] [LESSON]")
port_option = click.option(
    "--port",
    type=click.IntRange(1024, 65535),
    help="The port of the live page.  [default: a free one]",
)


@click.command(epilog=WATCH_EPILOG)
@words_argument
@click.option("--open", "opened", is_flag=True, help="With a live page in your browser; the same as `dojo open`.")
@port_option
@exercises_option
def watch(words: tuple[str, ...], opened: bool, port: int | None, course: Path | None) -> None:
    """Checks your file every time you save it. PyTorch stays loaded, so a check takes a tenth of a second."""
    watch_work(words, course, opened, port)


@click.command("open", epilog=OPEN_EPILOG)
@words_argument
@port_option
@exercises_option
def open_live(words: tuple[str, ...], port: int | None, course: Path | None) -> None:
    """Like `dojo watch`, with the report of the latest check as a page in your browser."""
    watch_work(words, course, True, port)


def watch_work(words: tuple[str, ...], course: Path | None, opened: bool, port: int | None) -> None:
    """Watch until `q` is pressed. Raises UserError where the port of the live page is taken."""
    with desk(course) as at, contextlib.ExitStack() as stack:
        work, parts = selected_work(at, words)
        lessons = list(dict.fromkeys(lesson for lesson, _ in parts)) or [at.current()]
        at.state_file.set_last_lesson(lessons[0])
        at.judge.prepare(lessons[0])
        at.busy = contextlib.nullcontext  # the screen itself says what is going on
        from grader.dojo.live import LiveServer
        from grader.dojo.report import open_in_browser
        from grader.dojo.watch import Watch

        if not opened:
            Watch(at, lessons[0], console_for(), work, lessons).run()
            return
        page = stack.enter_context(LiveServer(at.judge.isolation, port or 0))
        open_in_browser(page.address)
        Watch(at, lessons[0], console_for(), work, lessons, live=page.address, tell=page.tell).run()
