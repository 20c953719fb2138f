"""`dojo watch` and `dojo open`: the terminal that checks a file whenever it is saved, and the page next to it."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from grader.commands.dojo_desk import LessonParam, console, course_option, desk, selected_work
from grader.errors import UserError

WATCH_EPILOG = """\b
Examples:
  dojo watch                  the lesson you last worked on, else the first unfinished one
  dojo watch 03               lesson 03
  dojo watch 03 --open        with a live page in your browser: your gradients next to the true ones
  dojo watch that.ipynb       a notebook or a script: save it, and it is checked
  dojo watch that.ipynb 05    lesson 05 of it

\b
Keys: ↑ ↓ or a number: a row; n p: the next and the previous lesson with something to do;
/ finds a lesson or a row by its name; h a hint; l the list; r the report in your browser;
Enter checks again; Esc hides what a key has shown; q quits.
"""
OPEN_EPILOG = """\b
Examples:
  dojo open 03                lesson 03, and the page in your browser
  dojo open 03 --port 8000    on a remote machine: ssh -L 8000:127.0.0.1:8000 there

\b
Only programs on your own machine reach the page, and only with the token in its address.
It needs: pip install "backprop-ninja[live]"   (in a kit: pip install -e ".[live]")
"""
NEEDS_EXTRA = "The live page needs {module}. Type `pip install starlette uvicorn`, or watch without --open."
words_argument = click.argument("words", nargs=-1, type=LessonParam(), metavar="[FILE] [LESSON]")
port_option = click.option(
    "--port",
    type=click.IntRange(1024, 65535),
    help="The port of the live page.  [default: the last one that was used, or a free one]",
)


@click.command(epilog=WATCH_EPILOG)
@words_argument
@click.option("--open", "opened", is_flag=True, help="With a live page in your browser; the same as `dojo open`.")
@port_option
@course_option
def watch(words: tuple[str, ...], opened: bool, port: int | None, course: Path | None) -> None:
    """Checks your file every time you save it. PyTorch stays loaded, so a check takes a tenth of a second."""
    watch_work(words, course, opened, port)


@click.command("open", epilog=OPEN_EPILOG)
@words_argument
@port_option
@course_option
def open_live(words: tuple[str, ...], port: int | None, course: Path | None) -> None:
    """Like `dojo watch`, with a live page in your browser.

    The page shows the graph, your gradients next to the true ones, and what a wrong element is computed from.
    """
    watch_work(words, course, True, port)


def watch_work(words: tuple[str, ...], course: Path | None, opened: bool, port: int | None) -> None:
    """Watch until `q` is pressed. Raises UserError where the live page is wanted and cannot be served."""
    with desk(course) as at, contextlib.ExitStack() as stack:
        work, parts = selected_work(at, words)
        lessons = list(dict.fromkeys(lesson for lesson, _ in parts)) or [at.current()]
        at.memory.set_last_lesson(lessons[0])
        at.judge.prepare(lessons[0])
        at.busy = contextlib.nullcontext  # the screen itself says what is going on
        from grader.dojo.report import open_in_browser
        from grader.dojo.watch import WatchSession

        if not opened:
            WatchSession(at, lessons[0], console(), work=work, lessons=lessons).run()
            return
        try:
            from grader.dojo.live.questions import LiveQuestions
            from grader.dojo.live.server import LiveServer
        except ModuleNotFoundError as error:
            raise UserError(NEEDS_EXTRA.format(module=error.name)) from error

        questions = LiveQuestions(at.course, at.judge.run_line)
        page = stack.enter_context(LiveServer(at.course.root, at.judge.isolation, port, questions))
        open_in_browser(page.address)
        WatchSession(at, lessons[0], console(), work=work, lessons=lessons, live=page.address, shown=page.show).run()
