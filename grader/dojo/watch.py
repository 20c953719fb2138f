"""`dojo watch`: re-check a file when it is saved.

One loop waits for keys and for changed files, also while a file is judged: a new save or a key interrupts the check,
so an endless loop in a student's code does no harm. What is on the screen is a View; view.py draws it.
"""

from __future__ import annotations

import selectors
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial

from rich.console import Console, RenderableType
from rich.text import Text

from grader.dojo.changes import Changes, repeating, time_since_save
from grader.dojo.desk import Checked, Desk
from grader.dojo.file import outline_of_text, shown_path
from grader.dojo.guide import Guide
from grader.dojo.keys import Keys, RowChoice
from grader.dojo.new_verdict import view_after
from grader.dojo.overview import Paragraph, hint_screen, list_screen
from grader.dojo.progress import next_lesson
from grader.dojo.report import REPORT_FILE, open_page, write_report
from grader.dojo.screen import has_rounding
from grader.dojo.search import Search
from grader.dojo.view import View, footer, watch_screen
from grader.dojo.work import Exercises, Work
from grader.errors import Interrupted, UserError
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE

GRACE = 0.1
"""Seconds that a file may be missing or incomplete before the screen says so: editors replace files."""
QUIET_SECONDS, REFRESH_SECONDS = 0.15, 0.5
"""Until the screen says that a check is running, and between two updates of that."""
SEARCHING = "looking for the slip in your code"


class WatchSession:
    """Watches one lesson at a time; only a key goes to another."""

    def __init__(
        self,
        desk: Desk,
        lesson: Lesson,
        console: Console,
        work: Work | None = None,
        lessons: Sequence[Lesson] = (),
        guide: Guide | None = None,
        live: str = "",
        shown: Callable[[View], object] = lambda view: None,
    ) -> None:
        """`work` is what is watched, by default the exercises; `lessons` are the lessons in it.

        `shown` is called with each view that is on the screen; `live` is the address of the page that shows it too.
        """
        self._desk, self._console = desk, console
        self._work, self._lessons = work or Exercises(desk.course), lessons
        self._guide, self._live, self._shown = guide, live, shown
        self._view = self._view_of(lesson)
        self._last_run: Checked | None = None  # the last check of a file that ran
        self._submitted: LessonFiles | None = None  # what was read last
        self._saved: float | None = None  # when, by the wall clock
        self._rounding_explained = False
        self._choice = RowChoice()
        self._search: Search | None = None
        self._drawing = threading.Lock()  # a thread says what runs
        self._selector = selectors.DefaultSelector()

    @property
    def _lesson(self) -> Lesson:
        return self._view.lesson

    def run(self) -> None:
        """Returns when `q` is pressed."""
        with Keys(lambda: self._changes.report()) as keys, Changes(self._work.folder, self._work.deep) as changes:
            self._changes = changes
            self._selector.register(changes, selectors.EVENT_READ)
            if keys.is_terminal:
                self._selector.register(keys, selectors.EVENT_READ)
            self._desk.judge.prepare(self._lesson)
            due = True
            while True:
                due = due and not self._check()
                for key, _ in self._selector.select(0 if due else None):
                    if key.fileobj is changes:
                        changes.take()
                        due, self._saved = True, time.time()
                        continue
                    pressed = keys.take()
                    if pressed is None:  # the terminal is gone; saves are still checked
                        self._selector.unregister(keys)
                        continue
                    for each in pressed:
                        if self._search is None and each in ("q", "Q"):
                            return
                        due = self._press(each) or due

    # checking

    def _check(self) -> bool:
        """Checks the file as it is now and shows the result; False when a key or a save interrupted it."""
        try:
            submitted = self._work.read(self._lesson)
            text = submitted.files[BACKWARD_FILE]
            sound = bool(text.strip()) and outline_of_text(text).complete
        except UserError as error:
            submitted, sound, trouble = None, False, str(error)
        if not sound and self._selector.select(GRACE):
            return False
        if submitted != self._submitted:  # what a key has shown is about the text before
            self._submitted, self._view = submitted, replace(self._view, below=(), listed=(), trouble="")
        saved, self._saved = self._saved, None
        if submitted is None:
            self._view = replace(self._view, checked=None, trouble=trouble)
            self._draw()
            return True
        old = self._view.checked
        show = partial(self._take, old=old, saved=saved) if self._console.is_terminal else None
        try:
            with self._saying_what_runs():
                checked = self._desk.check(self._lesson, submitted, self._selector.fileno(), show=show)
        except Interrupted:
            self._saved = saved if self._view.checked is old else None
            return False
        self._take(checked, old, saved)
        self._desk.judge.prepare(self._lesson)
        return True

    def _take(self, checked: Checked, old: Checked | None, saved: float | None) -> None:
        """Stores and shows a verdict, before and after a search for slips. `old` was shown when the check began."""
        with self._drawing:
            if self._view.checked is old:
                explain_rounding = has_rounding(checked.part.lines) and not self._rounding_explained
                self._view = view_after(self._view, checked, self._last_run, self._desk, self._guide, explain_rounding)
                self._rounding_explained |= self._view.rounding
            else:
                self._view = replace(self._view, checked=checked)
            if checked.judged.runs:
                self._last_run = checked
            self._draw(lambda: time_since_save(self._work.path(self._lesson), saved))
            if self._work.remembered:  # after the student has seen it: to write the file may take some milliseconds
                self._desk.remember(checked)

    def _view_of(self, lesson: Lesson) -> View:
        guide, file = self._guide.lines(None) if self._guide else (), shown_path(self._work.path(lesson))
        return View(lesson, file, guide=guide, live=self._live)

    @contextmanager
    def _saying_what_runs(self) -> Iterator[None]:
        """Says what runs once a check takes longer than a moment; greys the old verdict until there is a new one."""
        started, old = time.monotonic(), self._view.checked

        def say() -> None:
            with self._drawing:
                outdated = self._view.checked is old
                searching = f"{SEARCHING} · {time.monotonic() - started:.0f} s"
                running = f"checking: {self._desk.judge.running}" if outdated else searching
                self._view = replace(self._view, running=running, outdated=outdated)
                self._draw()

        try:
            with repeating(say, QUIET_SECONDS, REFRESH_SECONDS) if self._console.is_terminal else nullcontext():
                yield
        finally:
            self._view = replace(self._view, running="", outdated=False)

    # keys

    def _press(self, key: str) -> bool:
        """Acts on a key; returns whether to check the file again."""
        if self._search is not None:
            return self._press_in_search(self._search, key)
        key = key if len(key) > 1 else key.lower()
        self._view = replace(self._view, listed=())
        acts = {"h": self._hint, "l": self._list, "r": self._report, "escape": self._say}
        if key == "/":
            self._search = Search(self._all_lessons(), self._lesson)
            self._say(*self._search.lines())
        elif key in ("n", "p"):
            return self._next(1 if key == "n" else -1)
        elif key in ("up", "down") or key.isdigit():
            self._move(key)
        elif key in acts:
            acts[key]()
        return key in ("enter", " ")

    def _press_in_search(self, search: Search, key: str) -> bool:
        chosen = search.press(key)
        if search.is_over:
            self._search = None
            self._say()
        else:
            self._say(*search.lines())
        if chosen is None:
            return False
        lesson, row = chosen
        if lesson.name != self._lesson.name:
            self._go(lesson)
            self._view = replace(self._view, focus=row)
            return True
        self._focus(row or self._view.focus)
        return False

    def _move(self, key: str) -> None:
        if self._view.checked is not None:
            self._focus(self._choice.press(key, self._view.checked.lesson_rows, self._view.focus))

    def _focus(self, row: str | None) -> None:
        self._view = replace(self._view, focus=row, below=())
        self._draw()

    def _next(self, by: int) -> bool:
        if found := self._following(by):
            self._go(found)
        else:
            self._say(Text("There is no other lesson here.", "bold green"))
        return found is not None

    def _go(self, lesson: Lesson) -> None:
        self._view, self._last_run = self._view_of(lesson), None
        if self._work.remembered:
            self._desk.state_file.set_last_lesson(lesson)
        self._desk.judge.prepare(lesson)

    def _all_lessons(self) -> Sequence[Lesson]:
        return list(self._desk.course.lessons.values()) if self._work.remembered else self._lessons

    def _following(self, by: int) -> Lesson | None:
        """The next lesson with something left to do, or before it for -1; where there is none, simply the next."""
        following = next_lesson(self._desk.all_progress()[::by], self._lesson.name) if self._work.remembered else None
        if following is not None:
            return following.lesson
        lessons = list(self._all_lessons())
        at = [lesson.name for lesson in lessons].index(self._lesson.name)
        return lessons[(at + by) % len(lessons)] if len(lessons) > 1 else None

    def _hint(self) -> None:
        checked, row = self._view.checked, self._view.focus
        if checked is None:
            self._say_there_is_no("hint")
        elif row is None:
            self._say(Text("Nothing is left to do here. Select a row with ↑ ↓, and h gives a hint for it."))
        elif question := self._desk.state_file.take_question(self._lesson, row):
            self._say(
                Text(f"About this mistake in {row}", "bold"), Paragraph(question, indent=4), "", "h gives a hint."
            )
        else:
            taken = self._desk.state_file.take_hint(self._lesson, row)
            self._say(*hint_screen(self._lesson, row, taken, again="h"))

    def _say_there_is_no(self, what: str) -> None:
        why = "the file cannot be read" if self._view.trouble else "the first check is still running"
        self._say(Text(f"There is no {what} yet: {why}."))

    def _list(self) -> None:
        lines = list_screen(self._desk.all_progress(), self._lesson.name)
        self._view = replace(self._view, listed=list(lines))
        self._draw()

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
        self._say(Text(f"{'Opened' if open_page(path) else 'Open it in a browser:'} {shown_path(path)}"))

    # the screen

    def _say(self, *lines: RenderableType) -> None:
        """Shows the lesson's screen with `lines` below it."""
        self._view = replace(self._view, below=("", *lines) if lines else ())
        self._draw()

    def _draw(self, took: Callable[[], str] = str) -> None:
        """Draws the view; `took` is evaluated when all else is laid out."""
        self._print(watch_screen(self._view, self._console), took)
        self._shown(self._view)

    def _print(self, screen: Iterable[RenderableType], took: Callable[[], str] = str) -> None:
        """Writes a whole screen at once, so that it does not flicker; without a terminal, below the last."""
        console = self._console
        with console.capture() as captured:
            console.clear()
            for part in screen:
                console.print(part)
            console.print(footer(replace(self._view, took=took()), console.width))
        console.file.write(captured.get())
        console.file.flush()
