"""`dojo watch`: a screen that shows a session's events, and six keys.

The loop only waits for news: keys, saves and events. A session's thread checks, so that a key and Ctrl-C are answered
at once, whatever the student's code does.
"""

from __future__ import annotations

import os
import re
import sys
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue

import watchfiles
from rich.console import Console, RenderableType
from rich.text import Text

from grader.dojo.file import HERE, shown_path
from grader.dojo.overview import finish_lines, hint_screen, list_screen
from grader.dojo.progress import Checked, Progress, next_lesson
from grader.dojo.report import open_in_browser, write_report
from grader.dojo.screen import elsewhere_note, notes_about
from grader.dojo.session import CheckSession, Event
from grader.dojo.view import View
from grader.dojo.work import Work
from grader.errors import UserError
from grader.lesson.lesson import Lesson
from grader.results.wording import first_names

QUIET_SECONDS, REFRESH_SECONDS = 0.15, 0.5
"""Until the screen says that a check is running, and between two updates of that."""
DEBOUNCE_MILLISECONDS = 3
"""Milliseconds without another change before a save is reported. The library's default of 50 costs 70 per save."""
ESCAPED = re.compile(r"\x1b(?:[\[O][0-9;?]*.|.)?", re.DOTALL)
"""What a terminal sends for an arrow, a function key, Alt and a letter, or Escape. `dojo` uses none of these keys."""
SAVED = "saved"
"""Stands for a save among the keys, which are single letters."""


class Watch:
    """Watches one lesson at a time; only a key goes to another."""

    def __init__(self, session: CheckSession, console: Console, live: str = "") -> None:
        """The first of the work's lessons is watched; `live` is the address of the live page, where there is one."""
        self._session, self._console, self._live = session, console, live
        self._work, self._desk = session.work, session.work.desk
        self._news = SimpleQueue[Event | str]()  # events of the session, saves and keys
        session.listeners.append(self._news.put)
        self._open(self._work.lessons[0])

    def _open(self, lesson: Lesson) -> None:
        self.view = View(lesson, self._work.shown(lesson), self._live)
        self._last_run: Checked | None = None  # the last check of a file that ran
        self._read = set[str]()  # notes that were on the screen at an earlier save

    def run(self) -> None:
        """Returns when `q` is pressed."""
        threading.Thread(target=report_saves, args=(self._work, self._news.put), name="saves", daemon=True).start()
        with keys(self._news.put):
            self._session.check(self.view.lesson)
            quiet = QUIET_SECONDS
            while True:
                is_shown = self._console.is_terminal and self._session.running
                try:
                    news = self._news.get(timeout=quiet if is_shown else None)
                except Empty:
                    quiet = REFRESH_SECONDS
                    self.show_running(self._session.running)
                    continue
                quiet = QUIET_SECONDS
                if isinstance(news, Event):
                    self.show(news)
                elif news == SAVED:
                    self._session.check(self.view.lesson)
                elif news == "q":
                    return
                else:
                    self.press(news)

    def show_running(self, sentence: str) -> None:
        """Show what the check that runs is doing."""
        if sentence:
            self.view.running = sentence
            self._draw()

    # events

    def show(self, event: Event) -> None:
        """Show what an event says of the lesson that is watched."""
        view = self.view
        if event.lesson.name != view.lesson.name:
            return
        if event.kind == "saved":
            if view.checked is None or view.checked.submitted != event.submitted:
                view.below, view.listed, view.trouble = (), (), ""  # what a key has shown is about the text before
            return
        if event.kind == "failed":
            view.checked, view.trouble, view.running = None, event.sentence, ""
        elif event.kind == "provisional" and not self._console.is_terminal:
            return  # what is printed stays
        elif event.checked is not None:
            self._show_verdict(event.checked)
        self._draw()

    def _show_verdict(self, checked: Checked) -> None:
        view, runs = self.view, checked.judged.runs
        before, rows = self._last_run if runs else None, [row.name for row in checked.judged.rows]
        changed, news, is_same = list[str](), list[Text](), False
        if before is not None:
            changed, news = changed_rows(before, checked), list(news_of(before, checked))
            is_same = before.submitted == checked.submitted
            if before.progress.has_work and not checked.progress.has_work and not is_same:
                view.below = ["", *finish_lines(self._desk, checked)]
        if not view.is_provisional and (changed or view.focus not in rows):
            wrong = (name for name in checked.progress.wrong if name in changed)
            view.focus = next(wrong, checked.progress.next_row)
        view.news = news or (view.news if is_same else [])
        others = [name for name in rows if name != view.focus]  # the row in focus is explained
        notes = [*notes_about(checked, others), *elsewhere_note(checked)] if runs else []
        view.notes = [note for note in notes if note.plain not in self._read]
        view.checked, view.running, view.trouble = checked, "", ""
        if checked.is_final:
            self._read = {note.plain for note in notes}
            self._last_run = checked if runs else self._last_run

    # keys

    def press(self, key: str) -> None:
        """Act on a key. None of them waits for a check."""
        self.view.listed, self.view.below = (), ()
        if key in ("n", "p"):
            self._go(1 if key == "n" else -1)
        elif key == "l":
            self.view.listed = list(list_screen(self._desk.all_progress(), self.view.lesson.name))
        elif key in ("h", "r") and self.view.checked is None:
            why = "the file cannot be read" if self.view.trouble else "the first check is still running"
            self._say(Text(f"There is no {'hint' if key == 'h' else 'report'} yet: {why}."))
        elif key == "h":
            self._hint()
        elif key == "r" and self.view.checked is not None:
            self._report(self.view.checked)
        self._draw()

    def _go(self, by: int) -> None:
        """To the next row to fix or write, or the one before it for -1; beyond the last, to a lesson with work left."""
        view = self.view
        stops = view.checked.progress.stops if view.checked is not None else []
        at = stops.index(view.focus) + by if view.focus in stops else 0 if by > 0 else len(stops) - 1
        if 0 <= at < len(stops):
            view.focus = stops[at]
            return
        is_own = self._work.remembered
        progress = self._desk.all_progress() if is_own else [Progress(each, {}) for each in self._work.lessons]
        following = next_lesson(progress[::by], view.lesson.name)
        if following is None:
            self._say(Text("No other lesson here has anything left to do.", "bold green"))
            return
        self._open(following.lesson)
        if is_own:
            self._desk.state_file.set_last_lesson(following.lesson)
        self._session.check(following.lesson)

    def _hint(self) -> None:
        lesson, row = self.view.lesson, self.view.focus
        if row is None:
            self._say(Text("Nothing is left to do here: this lesson needs no hint."))
        else:
            self._say(*hint_screen(lesson, row, self._desk.state_file.take_hint(lesson, row), again="h"))

    def _report(self, checked: Checked) -> None:
        try:
            path = write_report(self._desk, [checked])
            self._say(Text(f"{'Opened' if open_in_browser(path) else 'Open it in a browser:'} {shown_path(path)}"))
        except UserError as error:
            self._say(Text(str(error), "bold red"))

    def _say(self, *lines: RenderableType) -> None:
        self.view.below = ["", *lines]

    def _draw(self) -> None:
        """Writes a whole screen at once, so that it does not flicker; without a terminal, below the last."""
        console = self._console
        with console.capture() as captured:
            console.clear()
            for part in self.view.screen(console):
                console.print(part)
        console.file.write(captured.get())
        console.file.flush()


def changed_rows(before: Checked, after: Checked) -> list[str]:
    """The rows of which something else came out than in the check before."""

    def seen(checked: Checked) -> dict[str, object]:
        rows = checked.judged.rows
        return {row.name: (row.status, row.shape, row.maxdiff, row.relative_error) for row in rows}

    then, now = seen(before), seen(after)
    return [name for name in now if now[name] != then.get(name)]


def news_of(before: Checked, checked: Checked) -> Iterator[Text]:
    """What turned right or wrong with a save."""
    then, now = before.progress.statuses, checked.progress.statuses
    for words, status in (("turned right", "passed"), ("passed here now", HERE)):
        if turned := [row for row in now if now[row] == status and then.get(row, status) != status]:
            yield Text(f"✓ {first_names(turned)} {words}.", "bold green")
    if broken := [row for row in checked.progress.wrong if then.get(row) in ("passed", HERE)]:
        yield Text(f"✗ {first_names(broken)} {'was' if len(broken) == 1 else 'were'} right before.", "bold red")


@contextmanager
def keys(report: Callable[[str], object]) -> Iterator[None]:
    """`report` gets each letter typed into a terminal, in lower case, without Enter."""
    if sys.stdin is None or not sys.stdin.isatty():
        yield
        return
    terminal = sys.stdin.fileno()
    settings = termios.tcgetattr(terminal)

    def read() -> None:
        try:
            while data := os.read(terminal, 100):
                for key in ESCAPED.sub("", data.decode("utf-8", "replace")).lower():
                    report(key)
        except OSError:  # the terminal is gone; saves are still checked
            return

    tty.setcbreak(terminal)
    threading.Thread(target=read, name="keys", daemon=True).start()
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, settings)


def report_saves(work: Work, report: Callable[[str], object]) -> None:
    """`report` gets SAVED when a Python file or notebook of the work was written, replaced, moved or removed."""
    for _ in watchfiles.watch(
        work.folder,
        watch_filter=lambda _, path: path.endswith((".py", ".ipynb")) and not Path(path).name.startswith("."),
        recursive=work.remembered,
        debounce=100,
        step=DEBOUNCE_MILLISECONDS,
        raise_interrupt=False,
    ):
        report(SAVED)
