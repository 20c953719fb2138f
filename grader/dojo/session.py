"""A session: one thread that checks the file that was saved last, and events that say what happens.

`dojo watch`, the live page, the language server, the assistant's server and the notebook's `%%check` listen to it.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, Literal

from grader.dojo.progress import Checked
from grader.dojo.work import Work
from grader.errors import GraderFault, Interrupted, UserError
from grader.intake.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.source.parsing import parse_submitted

GRACE_SECONDS = 0.1
"""How long a file may be missing or incomplete before that is an event: editors replace files."""
MAX_SECONDS_TO_CLOSE = 5.0
CHECKING, SEARCHING = "checking", "looking for the slip in your code"


@dataclass(frozen=True)
class Event:
    """What happened to a lesson's file.

    Attributes:
        kind: `saved`, and then a check begins; `provisional`, with verdicts, before the mistakes are named;
            `checked`; `failed`, where there is no verdict.
        sentence: why there is no verdict.
        submitted: of a file that was saved, what is checked now.
    """

    kind: Literal["saved", "provisional", "checked", "failed"]
    lesson: Lesson
    sentence: str = ""
    checked: Checked | None = None
    submitted: LessonFiles | None = None


class CheckSession:
    """Checks a lesson of the `work`; a new check ends the one that runs.

    Each of the `listeners` is called with each event, in the thread that checks.
    """

    def __init__(self, work: Work) -> None:
        self.work, self.listeners = work, list[Callable[[Event], object]]()
        self._thread = ThreadPoolExecutor(1, "checks")
        self._interrupt, self._interrupting = os.pipe()  # holds a byte for each request that waits for the thread
        self._requests = list[Future[Any]]()  # the latest
        self._now = ""  # what the check that runs is doing

    def check(self, lesson: Lesson) -> Future[Checked]:
        """Check the lesson's file as it is on the disk, soon.

        The future raises Interrupted if another check began, UserError or GraderFault.
        """
        return self._request(self._check, lesson)

    def checked_now(self, lesson: Lesson) -> Checked:
        """Wait for a check. Ctrl-C ends it."""
        answer = self.check(lesson)
        try:
            return answer.result()
        except KeyboardInterrupt:
            self._request(lambda: None)  # which ends the check
            raise

    @property
    def running(self) -> str:
        """What the check that runs is doing; "" where none runs."""
        return f"{CHECKING}: {self.work.desk.judge.running}" if self._now == CHECKING else self._now

    def close(self) -> None:
        """End the check that runs, then the thread. It also works where the interpreter has ended the thread before."""
        os.write(self._interrupting, b".")
        wait(self._requests, MAX_SECONDS_TO_CLOSE)
        self._thread.shutdown(wait=False)
        self.work.desk.close()

    def _request(self, act: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have the thread act, as soon as the check that runs has ended. It ends now."""
        os.write(self._interrupting, b".")
        request = self._thread.submit(self._act, act, *arguments)
        self._requests = [request]
        return request

    def _act(self, act: Callable[..., Any], *arguments: Any) -> Any:
        os.read(self._interrupt, 1)
        return act(*arguments)

    def _check(self, lesson: Lesson) -> Checked:
        try:
            return self._checked(lesson)
        except Interrupted:
            raise
        except Exception as error:
            known = isinstance(error, (UserError, GraderFault))
            why = str(error) if known else f"The check failed for a reason that is not yours: {error!r:.200}"
            self._tell(Event("failed", lesson, why))
            raise
        finally:
            self._now = ""

    def _checked(self, lesson: Lesson) -> Checked:
        self._end_if_superseded()
        self.work.desk.judge.prepare(lesson)
        submitted = self._read(lesson)
        self._now = CHECKING
        self._tell(Event("saved", lesson, submitted=submitted))

        def show(checked: Checked) -> None:
            self._now = SEARCHING
            self._tell(Event("provisional", lesson, checked=checked))

        checked = self.work.check(lesson, submitted, self._interrupt, show)
        self._now = ""
        self._tell(Event("checked", lesson, checked=checked))
        self.work.desk.judge.prepare(lesson)
        return checked

    def _tell(self, event: Event) -> None:
        for listener in self.listeners:
            listener(event)

    def _read(self, lesson: Lesson) -> LessonFiles:
        with contextlib.suppress(UserError):
            submitted = self.work.read(lesson)
            text = submitted.files[BACKWARD_FILE]
            if text.strip() and parse_submitted(text) is not None:
                return submitted
        time.sleep(GRACE_SECONDS)
        self._end_if_superseded()
        return self.work.read(lesson)

    def _end_if_superseded(self) -> None:
        if select.select([self._interrupt], [], [], 0)[0]:
            raise Interrupted
