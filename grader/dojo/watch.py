"""`dojo watch`: re-check a file when it is saved.

One loop waits for keys and for changed files, also while a file is judged: a new save or a key interrupts the check,
so an endless loop in a student's code does no harm.
"""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console, RenderableType
from rich.text import Text

from grader.dojo.desk import Checked, Desk
from grader.dojo.file import HERE, Outline, shown_path
from grader.dojo.keys import Changes, Keys
from grader.dojo.overview import Paragraph, hint_screen, list_screen, next_lines
from grader.dojo.progress import next_lesson
from grader.dojo.report import NAME, open_page, write_report
from grader.dojo.screen import heading, lesson_screen
from grader.dojo.work import Exercises, Work
from grader.errors import Interrupted, UserError
from grader.intake.submissions.lesson_files import MAIN, LessonFiles
from grader.lesson.lesson import Lesson
from grader.publish.wording import first_names

GRACE = 0.1
"""Seconds that a file may be missing or incomplete before the screen says so: editors replace files."""
AROUND = 14
"""Lines of the screen outside the table of rows."""
KEYS = "n next · h hint · l list · r report · q quit"


class WatchSession:
    """Watches one lesson at a time; only the key `n` goes to the next."""

    def __init__(
        self,
        desk: Desk,
        lesson: Lesson,
        console: Console,
        browser: Callable[[Path], bool] = open_page,
        work: Work | None = None,
        lessons: Sequence[Lesson] = (),
    ) -> None:
        """`work` is what is watched, by default the exercises; `lessons` are the lessons in it."""
        self._desk, self._lesson, self._console, self._browser = desk, lesson, console, browser
        self._work, self._lessons = work or Exercises(desk.course), lessons
        self._checked: Checked | None = None
        self._before: dict[str, str] = {}  # verdicts of the last time that the file ran
        self._news: list[Text] = []
        self._saved: float | None = None  # when, by the wall clock
        self._took: float | None = None  # seconds from the save to the verdict
        self._selector = selectors.DefaultSelector()

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
                        due, self._saved = True, self._saved or time.time()
                        continue
                    pressed = keys.take()
                    if pressed is None:  # the terminal is gone; saves are still checked
                        self._selector.unregister(keys)
                        continue
                    for each in pressed:
                        if each == "q":
                            return
                        due = self._press(each) or due

    # checking

    def _check(self) -> bool:
        """Checks the file as it is now and shows the result; False when a key or a save interrupted it."""
        try:
            submitted = self._work.read(self._lesson)
            sound = Outline(submitted.files[MAIN]).complete and bool(submitted.files[MAIN].strip())
        except UserError as error:
            submitted, sound, trouble = None, False, str(error)
        if not sound and self._selector.select(GRACE):
            return False
        saved, self._saved = self._saved, None
        if submitted is None:
            self._draw([self._heading(), "", Paragraph(trouble), "", "Waiting for it."])
            return True
        try:
            checked = self._desk.check(self._lesson, submitted, self._selector.fileno())
        except Interrupted:
            self._saved = saved
            return False
        self._collect_news(checked)
        self._checked, self._took = checked, None
        self._draw(self._screen(checked), lambda: self._footer(saved, submitted))
        if self._work.remembered:
            self._desk.remember(checked)
        self._desk.judge.prepare(self._lesson)
        return True

    def _collect_news(self, checked: Checked) -> None:
        """Notes what turned right or wrong since the file last ran."""
        self._news = []
        if not checked.judged.runs:
            return
        now, before = dict(checked.progress.statuses), self._before
        for words, status in (("turned right", "passed"), ("passed here now", HERE)):
            turned = [row for row in now if now[row] == status and before.get(row, status) != status]
            if turned:
                self._news.append(Text(f"✓ {first_names(turned)} {words}.", "bold green"))
        if checked.progress.next_row is None and self._news:
            self._news.append(Text("That was the last one of this lesson. n goes to the next.", "bold green"))
        broken = [row for row in checked.progress.wrong if before.get(row) in ("passed", HERE)]
        if broken:
            self._news.append(Text(f"✗ {first_names(broken)} was right before.", "bold red"))
        self._before = now

    # keys

    def _press(self, key: str) -> bool:
        """Acts on a key; returns whether to check the file again."""
        if key == "n":
            return self._next()
        if key == "h":
            self._hint()
        elif key == "l":
            self._draw(list_screen(self._desk.all_progress(), self._lesson.name))
        elif key == "r":
            self._report()
        elif key in "\r\n ":
            return True
        return False

    def _next(self) -> bool:
        found = self._following()
        if found is None:
            self._say(Text("No other lesson has anything left to do.", "bold green"))
            return False
        self._lesson, self._checked, self._before = found, None, {}
        self._desk.memory.set_last_lesson(self._lesson)
        self._desk.judge.prepare(self._lesson)
        return True

    def _following(self) -> Lesson | None:
        """The next unfinished lesson; in a notebook, its next lesson."""
        if self._work.remembered:
            found = next_lesson(self._desk.all_progress(), self._lesson.name)
            return found.lesson if found else None
        at = [lesson.name for lesson in self._lessons].index(self._lesson.name)
        return next(iter([*self._lessons[at + 1 :], *self._lessons[:at]]), None)

    def _hint(self) -> None:
        row = self._checked.progress.next_row if self._checked else None
        if row is None:
            self._say(Text("Nothing is left to do here, so there is nothing to hint at."))
        else:
            taken = self._desk.memory.take_hint(self._lesson, row)
            self._say(*hint_screen(self._lesson, row, taken, again="h"))

    def _report(self) -> None:
        if self._checked is None:
            return
        path = self._desk.course.root / NAME
        try:
            write_report([self._checked], self._desk.judge.isolation, path)
        except UserError as error:
            self._say(Text(str(error), "bold red"))
            return
        opened = self._browser(path)
        self._say(Text(f"{'Opened' if opened else 'Open it in a browser:'} {shown_path(path)}"))

    # the screen

    def _screen(self, checked: Checked) -> Iterator[RenderableType]:
        yield from lesson_screen(checked, room=self._room())
        yield ""
        yield from self._news
        yield from list(next_lines(checked.progress, checked.next_place))[:1]

    def _heading(self) -> Text:
        return heading(self._lesson, shown_path(self._work.path(self._lesson)))

    def _room(self) -> int | None:
        return max(6, self._console.height - AROUND) if self._console.is_terminal else None

    def _footer(self, saved: float | None, submitted: LessonFiles) -> str:
        """The time since the save: by the file's time stamp where that is plausible."""
        if saved is None:
            return ""
        try:
            stamp = self._work.path(self._lesson).stat().st_mtime
        except OSError:
            stamp = saved
        start = stamp if saved - 1 < stamp <= saved else saved
        self._took = time.time() - start
        return f"{1000 * self._took:.0f} ms · "

    def _say(self, *lines: RenderableType) -> None:
        """Shows the lesson's screen with `lines` below it."""
        screen = list(self._screen(self._checked)) if self._checked else [self._heading()]
        self._draw([*screen, "", *lines])

    def _draw(
        self, screen: Iterator[RenderableType] | list[RenderableType], before_keys: Callable[[], str] = str
    ) -> None:
        """Writes a whole screen at once, so that it does not flicker; without a terminal, below the last."""
        console = self._console
        with console.capture() as captured:
            console.clear()
            for part in screen:
                console.print(part)
            console.print()
            console.print(Text(before_keys() + KEYS, "dim"))
        console.file.write(captured.get())
        console.file.flush()
