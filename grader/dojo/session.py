"""A session: one thread that checks the file that was saved last, and events that say what happens.

`dojo watch`, the live page, the language server, the assistant's server and the notebook's `%%check` listen to it.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Literal

from grader.dojo.checked import Checked
from grader.dojo.desk import Desk
from grader.dojo.file import outline_of_text
from grader.dojo.work import Exercises, Work
from grader.errors import GraderFault, Interrupted, UserError
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE

GRACE = 0.1
"""Seconds that a file may be missing or incomplete before that is an event: editors replace files."""
SEARCHING = "looking for the slip in your code"


@dataclass(frozen=True)
class Event:
    """What happened to a lesson's file.

    Attributes:
        kind: `saved`, and then a check begins; `running`, still; `provisional`, with verdicts, before the search for
            slips in the code that may explain them better; `checked`; `failed`, where there is no verdict.
        sentence: what is going on, or why there is no verdict.
        submitted: the files that are checked; None where they cannot be read.
        saved: when the file was saved, in seconds since 1970; None for a check without a save.
    """

    kind: Literal["saved", "running", "provisional", "checked", "failed"]
    lesson: Lesson
    sentence: str = ""
    checked: Checked | None = None
    submitted: LessonFiles | None = None
    saved: float | None = None


@dataclass(frozen=True)
class CheckRequest:
    lesson: Lesson
    submitted: LessonFiles | None
    saved: float | None
    answer: Future[Checked]


class CheckSession:
    """`tell` is called with each event, in the thread that checks; a new check ends the one that runs."""

    def __init__(self, desk: Desk, tell: Callable[[Event], object] = id, work: Work | None = None) -> None:
        """`work` is what is checked, by default the exercises."""
        self._desk, self._tell, self._work = desk, tell, work or Exercises(desk.course)
        self._cancel = Wakeup()
        self._requested = threading.Condition()
        self._due: CheckRequest | None = None
        self._ended = False
        self._now: tuple[Lesson, float, bool] | None = (
            None  # what is checked, since when, whether it searches for slips
        )
        self._thread = threading.Thread(target=self._run, name="checks", daemon=True)
        self._thread.start()

    def check(
        self, lesson: Lesson, submitted: LessonFiles | None = None, saved: float | None = None
    ) -> Future[Checked]:
        """Check the lesson's file as it is on the disk, or `submitted`, soon.

        The future raises Interrupted if another check began, UserError or GraderFault.
        """
        request = CheckRequest(lesson, submitted, saved, Future())
        with self._requested:
            self._due = request
            self._requested.notify()
            self._cancel.report()
        return request.answer

    def checked_now(self, lesson: Lesson, submitted: LessonFiles | None = None) -> Checked:
        """Wait for a check. Ctrl-C ends it."""
        answer = self.check(lesson, submitted)
        try:
            return answer.result()
        except KeyboardInterrupt:
            self._cancel.report()
            raise

    def running(self) -> Event | None:
        """What the check that runs is doing; None where none runs."""
        if (now := self._now) is None:
            return None
        lesson, since, searches = now
        what = (
            f"{SEARCHING} · {time.monotonic() - since:.0f} s" if searches else f"checking: {self._desk.judge.running}"
        )
        return Event("running", lesson, what)

    def close(self) -> None:
        """End the thread, and the check that runs in it."""
        with self._requested:
            self._ended = True
            self._requested.notify()
            self._cancel.report()
        self._thread.join(5)
        self._desk.close()

    def _run(self) -> None:
        while (request := self._next()) is not None:
            try:
                request.answer.set_result(self._checked(request))
            except Exception as error:  # without this thread, no later save would be checked
                if not isinstance(error, Interrupted):
                    known = isinstance(error, (UserError, GraderFault))
                    why = str(error) if known else f"The check failed for a reason that is not yours: {error!r:.200}"
                    self._tell(Event("failed", request.lesson, why))
                request.answer.set_exception(error)
            finally:
                self._now = None

    def _next(self) -> CheckRequest | None:
        """The latest request; None at the end."""
        with self._requested:
            self._requested.wait_for(lambda: self._due is not None or self._ended)
            request, self._due = self._due, None
            self._cancel.take()
            return None if self._ended else request

    def _checked(self, request: CheckRequest) -> Checked:
        lesson, started = request.lesson, time.monotonic()
        self._desk.judge.prepare(lesson)
        submitted = request.submitted or self._read(lesson)
        self._now = lesson, started, False
        self._tell(Event("saved", lesson, "checking", submitted=submitted, saved=request.saved))

        def show(checked: Checked) -> None:
            self._now = lesson, started, True
            self._tell(Event("provisional", lesson, SEARCHING, checked, submitted, request.saved))

        checked = self._desk.check(lesson, submitted, self._cancel.fileno(), show=show)
        self._now = None
        self._tell(Event("checked", lesson, "", checked, submitted, request.saved))
        if self._work.remembered and request.submitted is None:
            self._desk.state_file.keep(
                checked
            )  # after the student has seen it: to write the file may take some milliseconds
        self._desk.judge.prepare(lesson)
        return checked

    def _read(self, lesson: Lesson) -> LessonFiles:
        """The lesson's files, read again where another save comes while they are missing or incomplete."""
        try:
            submitted = self._work.read(lesson)
            text = submitted.files[BACKWARD_FILE]
            if text.strip() and outline_of_text(text).complete:
                return submitted
        except UserError:
            if self._another_comes():
                raise Interrupted from None
            raise
        if self._another_comes():
            raise Interrupted
        return submitted

    def _another_comes(self) -> bool:
        with self._requested:
            return self._requested.wait_for(lambda: self._due is not None or self._ended, GRACE)


class Wakeup:
    """Readable once something was reported, by any thread, until it is taken."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        os.set_blocking(self._write_end, False)

    def fileno(self) -> int:
        return self._read_end

    def report(self) -> None:
        with contextlib.suppress(BlockingIOError):  # it is readable already
            os.write(self._write_end, b".")

    def take(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._read_end, 1000):
                pass
