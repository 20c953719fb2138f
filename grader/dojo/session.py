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
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Literal

from grader.dojo.desk import Desk
from grader.dojo.file import Work
from grader.dojo.progress import Checked
from grader.errors import GraderFault, Interrupted, UserError
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.source.parsing import parse_submitted

GRACE_SECONDS = 0.1
"""How long a file may be missing or incomplete before that is an event: editors replace files."""
SEARCHING = "looking for the slip in your code"


@dataclass(frozen=True)
class Event:
    """What happened to a lesson's file.

    Attributes:
        kind: `saved`, and then a check begins; `running`, still; `provisional`, with verdicts, before the search for
            slips in the code that may explain them better; `checked`; `failed`, where there is no verdict.
        sentence: what is going on, or why there is no verdict.
        submitted: the files that are checked; None where they cannot be read.
    """

    kind: Literal["saved", "running", "provisional", "checked", "failed"]
    lesson: Lesson
    sentence: str = ""
    checked: Checked | None = None
    submitted: LessonFiles | None = None


CheckRequest = tuple[Lesson, LessonFiles | None, Future[Checked]]


class CheckSession:
    """`tell` is called with each event, in the thread that checks; a new check ends the one that runs."""

    def __init__(self, desk: Desk, tell: Callable[[Event], object] = id, work: Work | None = None) -> None:
        """`work` is what is checked, by default the exercises."""
        self._desk, self._tell, self._work = desk, tell, work or Work(desk.course)
        self._requests, self._lock = SimpleQueue[CheckRequest | None](), threading.Lock()
        self._cancel, self._cancelling = os.pipe()  # readable once a check is to end
        os.set_blocking(self._cancel, False)
        self._now: Event | None = None  # what the check that runs is doing
        self._thread = threading.Thread(target=self._run, name="checks", daemon=True)
        self._thread.start()

    def check(self, lesson: Lesson, submitted: LessonFiles | None = None) -> Future[Checked]:
        """Check the lesson's file as it is on the disk, or `submitted`, soon.

        The future raises Interrupted if another check began, UserError or GraderFault.
        """
        answer = Future[Checked]()
        self._put((lesson, submitted, answer))
        return answer

    def checked_now(self, lesson: Lesson, submitted: LessonFiles | None = None) -> Checked:
        """Wait for a check. Ctrl-C ends it."""
        answer = self.check(lesson, submitted)
        try:
            return answer.result()
        except KeyboardInterrupt:
            os.write(self._cancelling, b".")
            raise

    def running(self) -> Event | None:
        """What the check that runs is doing; None where none runs."""
        now = self._now
        return now and replace(now, sentence=now.sentence or f"checking: {self._desk.judge.running}")

    def close(self) -> None:
        """End the thread, and the check that runs in it."""
        self._put(None)
        self._thread.join(5)
        self._desk.close()

    def _put(self, request: CheckRequest | None) -> None:
        with self._lock:
            self._requests.put(request)
            os.write(self._cancelling, b".")

    def _run(self) -> None:
        while (request := self._requests.get()) is not None:
            lesson, submitted, answer = request
            with self._lock, contextlib.suppress(BlockingIOError):
                while os.read(self._cancel, 1000):
                    pass
            try:
                answer.set_result(self._checked(lesson, submitted))
            except Exception as error:  # without this thread, no later save would be checked
                if not isinstance(error, Interrupted):
                    known = isinstance(error, (UserError, GraderFault))
                    why = str(error) if known else f"The check failed for a reason that is not yours: {error!r:.200}"
                    self._tell(Event("failed", lesson, why))
                answer.set_exception(error)
            finally:
                self._now = None

    def _checked(self, lesson: Lesson, given: LessonFiles | None) -> Checked:
        self._end_if_superseded()
        self._desk.judge.prepare(lesson)
        submitted = given or self._read(lesson)
        self._now = Event("running", lesson)
        self._tell(Event("saved", lesson, "checking", submitted=submitted))

        def show(checked: Checked) -> None:
            self._now = Event("running", lesson, SEARCHING)
            self._tell(Event("provisional", lesson, SEARCHING, checked, submitted))

        checked = self._desk.check(lesson, submitted, self._cancel, show=show)
        self._now = None
        if self._work.remembered and given is None:
            self._desk.state_file.keep(checked)
        self._tell(Event("checked", lesson, "", checked, submitted))
        self._desk.judge.prepare(lesson)
        return checked

    def _read(self, lesson: Lesson) -> LessonFiles:
        with contextlib.suppress(UserError):
            submitted = self._work.read(lesson)
            text = submitted.files[BACKWARD_FILE]
            if text.strip() and parse_submitted(text) is not None:
                return submitted
        time.sleep(GRACE_SECONDS)
        self._end_if_superseded()
        return self._work.read(lesson)

    def _end_if_superseded(self) -> None:
        if not self._requests.empty():
            raise Interrupted
