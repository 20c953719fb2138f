"""`dojo watch`: a screen that shows a session's events, and six keys.

The loop only waits for news: keys, saves and events. A session's thread checks, so that a key and Ctrl-C are answered
at once, whatever the student's code does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue

from rich.console import Console, RenderableType
from rich.text import Text

from grader.dojo.checked import Checked
from grader.dojo.desk import Desk
from grader.dojo.file import HERE, changed_rows, shown_path
from grader.dojo.keys_and_saves import Keys, Saves
from grader.dojo.lesson_end import finish_lines
from grader.dojo.overview import hint_screen, list_screen
from grader.dojo.progress import Progress, next_lesson
from grader.dojo.report import REPORT_FILE, open_in_browser, write_report
from grader.dojo.screen import elsewhere_note, notes_about
from grader.dojo.session import CheckSession, Event
from grader.dojo.view import View, watch_screen
from grader.dojo.work import Exercises, Work
from grader.errors import UserError
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results.wording import first_names

QUIET_SECONDS, REFRESH_SECONDS = 0.15, 0.5
"""Until the screen says that a check is running, and between two updates of that."""
SAVED = "saved"
"""Stands for a save among the keys, which are single letters."""


class Watch:
    """Watches one lesson at a time; only a key goes to another."""

    def __init__(
        self,
        desk: Desk,
        lesson: Lesson,
        console: Console,
        work: Work | None = None,
        lessons: Sequence[Lesson] = (),
        live: str = "",
        tell: Callable[[Event], object] = id,
    ) -> None:
        """`work` is what is watched, by default the exercises; `lessons` are the lessons in it.

        `tell` is called with each event too; `live` is the address of the page that shows them.
        """
        self._desk, self._console = desk, console
        self._work, self._lessons = work or Exercises(desk.course), lessons
        self._live, self._tell = live, tell
        self._news = SimpleQueue[Event | str]()  # events of the session, saves and keys
        self._last_run: Checked | None = None  # the last check of a file that ran
        self._read = set[str]()  # notes that were on the screen at an earlier save
        self._view = self._view_of(lesson)

    @property
    def _lesson(self) -> Lesson:
        return self._view.lesson

    def run(self) -> None:
        """Returns when `q` is pressed."""

        def report_save() -> None:
            self._news.put(SAVED)

        self._session = CheckSession(self._desk, self._note, self._work)
        saves = Saves(self._work.folder, self._work.deep, report_save)
        with closing(self._session), Keys(self._news.put, report_save), saves:
            self._session.check(self._lesson)
            quiet = QUIET_SECONDS
            while True:
                is_shown = self._console.is_terminal and self._session.running() is not None
                try:
                    news = self._news.get(timeout=quiet if is_shown else None)
                except Empty:
                    quiet = REFRESH_SECONDS
                    if (running := self._session.running()) is not None:
                        self._tell(running)
                        self.show(running)
                    continue
                quiet = QUIET_SECONDS
                if isinstance(news, Event):
                    self.show(news)
                elif news == SAVED:
                    self._session.check(self._lesson, saved=time.time())
                elif news == "q":
                    return
                else:
                    self.press(news)

    def _note(self, event: Event) -> None:
        """Called in the thread that checks."""
        self._tell(event)
        self._news.put(event)

    # events

    def show(self, event: Event) -> None:
        """Show what an event says of the lesson that is watched."""
        if event.lesson.name != self._lesson.name:
            return
        if event.kind == "saved":
            before = self._view.checked
            if before is None or before.submitted != event.submitted:  # what a key has shown is about the text before
                self._view = replace(self._view, below=(), listed=(), trouble="")
            return
        if event.kind == "running":
            self._view = replace(self._view, running=event.sentence)
        elif event.kind == "failed":
            self._view = replace(self._view, checked=None, trouble=event.sentence, running="")
        elif event.kind == "provisional" and not self._console.is_terminal:
            return  # what is printed stays
        elif event.checked is not None:
            self._show_verdict(event.checked, event.kind == "provisional", event.saved)
        self._draw()
        self._view = replace(self._view, took="")

    def _show_verdict(self, checked: Checked, is_provisional: bool, saved: float | None) -> None:
        view, before, progress, runs = self._view, self._last_run, checked.progress, checked.judged.runs
        changed, focus = list[str](), view.focus
        if before is not None and runs:
            texts = (each.submitted.files[BACKWARD_FILE] for each in (before, checked))
            changed = changed_rows(checked.lesson, *texts)
        if not view.is_provisional and (changed or focus not in checked.lesson_rows):
            focus = default_focus(progress, changed)
        news, below = list(news_of(before, checked)), view.below
        if before is not None and before.submitted == checked.submitted:  # what is on the screen is about this text
            news = news or list(view.news)
        elif runs and progress.next_row is None and before is not None and before.progress.next_row is not None:
            below = ["", *finish_lines(self._desk, checked, changed)]
        notes = [*notes_about(checked, checked.part, focus), *elsewhere_note(progress)] if runs else []
        self._view = View(
            view.lesson,
            view.file,
            checked,
            is_provisional,
            focus,
            news,
            [note for note in notes if note.plain not in self._read],
            below,
            view.listed,
            took=time_since_save(self._work.path(checked.lesson), saved),
            live=view.live,
        )
        if not is_provisional:
            self._read = {note.plain for note in notes}
            self._last_run = checked if runs else before

    def _view_of(self, lesson: Lesson) -> View:
        return View(lesson, shown_path(self._work.path(lesson)), live=self._live)

    # keys

    def press(self, key: str) -> None:
        """Act on a key. None of them waits for a check."""
        self._view = replace(self._view, listed=(), below=())
        acts = {"h": self._hint, "l": self._list, "r": self._report}
        if key in ("n", "p"):
            self._next(1 if key == "n" else -1)
        elif key in acts:
            acts[key]()
        self._draw()

    def _next(self, by: int) -> None:
        """To the next row to fix or write, or the one before it for -1; beyond the last of them, to another lesson."""
        stops = self._view.checked.progress.stops if self._view.checked is not None else []
        at = stops.index(self._view.focus) + by if self._view.focus in stops else 0 if by > 0 else len(stops) - 1
        if 0 <= at < len(stops):
            self._view = replace(self._view, focus=stops[at])
        elif found := self._following(by):
            self._go(found)
        else:
            self._say(Text("There is no other lesson here.", "bold green"))

    def _go(self, lesson: Lesson) -> None:
        self._view, self._last_run, self._read = self._view_of(lesson), None, set()
        if self._work.remembered:
            self._desk.state_file.set_last_lesson(lesson)
        self._session.check(lesson)

    def _following(self, by: int) -> Lesson | None:
        """The next lesson with something left to do, or before it for -1; where there is none, simply the next."""
        following = next_lesson(self._desk.all_progress()[::by], self._lesson.name) if self._work.remembered else None
        if following is not None:
            return following.lesson
        lessons = list(self._desk.course.lessons.values()) if self._work.remembered else list(self._lessons)
        at = [lesson.name for lesson in lessons].index(self._lesson.name)
        return lessons[(at + by) % len(lessons)] if len(lessons) > 1 else None

    def _hint(self) -> None:
        checked, row = self._view.checked, self._view.focus
        if checked is None:
            self._say_there_is_no("hint")
        elif row is None:
            self._say(Text("Nothing is left to do here: this lesson needs no hint."))
        else:
            taken = self._desk.state_file.take_hint(self._lesson, row)
            self._say(*hint_screen(self._lesson, row, taken, again="h"))

    def _say_there_is_no(self, what: str) -> None:
        why = "the file cannot be read" if self._view.trouble else "the first check is still running"
        self._say(Text(f"There is no {what} yet: {why}."))

    def _list(self) -> None:
        self._view = replace(self._view, listed=list(list_screen(self._desk.all_progress(), self._lesson.name)))

    def _report(self) -> None:
        if self._view.checked is None:
            self._say_there_is_no("report")
            return
        path = self._desk.course.root / REPORT_FILE
        try:
            write_report([self._view.checked], self._desk.judge.isolation, path)
        except UserError as error:
            self._say(Text(str(error), "bold red"))
            return
        self._say(Text(f"{'Opened' if open_in_browser(path) else 'Open it in a browser:'} {shown_path(path)}"))

    def _say(self, *lines: RenderableType) -> None:
        self._view = replace(self._view, below=("", *lines))

    def _draw(self) -> None:
        """Writes a whole screen at once, so that it does not flicker; without a terminal, below the last."""
        console = self._console
        with console.capture() as captured:
            console.clear()
            for part in watch_screen(self._view, console):
                console.print(part)
        console.file.write(captured.get())
        console.file.flush()


def default_focus(progress: Progress, changed: Sequence[str]) -> str | None:
    """The row to explain: a wrong one that was just changed, else the first wrong one, else the next to write."""
    return next((name for name in progress.wrong if name in changed), progress.next_row)


def news_of(before: Checked | None, checked: Checked) -> Iterator[Text]:
    """What turned right or wrong with a save."""
    if before is None or not checked.judged.runs:
        return
    then, now = before.progress.statuses, checked.progress.statuses
    for words, status in (("turned right", "passed"), ("passed here now", HERE)):
        turned = [row for row in now if now[row] == status and then.get(row, status) != status]
        if turned:
            yield Text(f"✓ {first_names(turned)} {words}.", "bold green")
    broken = [row for row in checked.progress.wrong if then.get(row) in ("passed", HERE)]
    if broken:
        yield Text(f"✗ {first_names(broken)} {'was' if len(broken) == 1 else 'were'} right before.", "bold red")


def time_since_save(path: Path, noticed: float | None) -> str:
    """`93 ms · ` since a save `noticed` at that time, by the file's time stamp where it is plausible; "" for None."""
    if noticed is None:
        return ""
    try:
        stamp = path.stat().st_mtime
    except OSError:
        stamp = noticed
    start = stamp if noticed - 1 < stamp <= noticed else noticed
    return f"{1000 * (time.time() - start):.0f} ms · "
