"""Checks in a thread of their own, one at a time: a new save cancels the check that runs."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable

from grader.dojo.desk import Checked, Desk
from grader.dojo.file import read_own
from grader.errors import GraderFault, Interrupted, UserError
from grader.lesson.lesson import Lesson


class SaveChecker:
    """`found` gets each check, `failed` a lesson and why it could not be checked; both are called in the thread."""

    def __init__(self, desk: Desk, found: Callable[[Checked], None], failed: Callable[[Lesson, str], None]) -> None:
        self._desk, self._found, self._failed = desk, found, failed
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        os.set_blocking(self._write_end, False)
        self._saved = threading.Condition()
        self._due: Lesson | None = None
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="checks", daemon=True)
        self._thread.start()

    def check(self, lesson: Lesson) -> None:
        """Check the lesson's file as it is on the disk, soon; a check that runs is cancelled."""
        with self._saved:
            self._due = lesson
            self._saved.notify()
            with contextlib.suppress(BlockingIOError):  # it is readable already
                os.write(self._write_end, b".")

    def close(self) -> None:
        with self._saved:
            self._ended = True
            self._saved.notify()
            with contextlib.suppress(BlockingIOError):
                os.write(self._write_end, b".")
        self._thread.join(5)

    def _run(self) -> None:
        while (lesson := self._next()) is not None:
            try:
                self._desk.judge.prepare(lesson)
                checked = self._desk.check(lesson, read_own(lesson), self._read_end)
                self._desk.remember(checked)
                self._found(checked)
            except Interrupted:
                continue
            except (UserError, GraderFault) as error:
                self._failed(lesson, str(error))
            except Exception as error:  # without this thread, no later save would be checked
                self._failed(lesson, f"the check failed for a reason that is not yours: {error!r:.200}")
        self._desk.close()

    def _next(self) -> Lesson | None:
        """The lesson that was saved last; None at the end."""
        with self._saved:
            self._saved.wait_for(lambda: self._due is not None or self._ended)
            lesson, self._due = self._due, None
            with contextlib.suppress(BlockingIOError):
                while os.read(self._read_end, 100):
                    pass
            return None if self._ended else lesson
