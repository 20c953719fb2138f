"""The trusted side's end of a worker's pipes: frames written and read before a deadline, printed output kept."""

from __future__ import annotations

import contextlib
import os
import selectors
import time
from collections.abc import Callable

from grader.errors import Interrupted
from grader.sandbox.workers.codec import MAX_BODY, MAX_HEADER, Frame, Reader
from grader.sandbox.workers.endings import DeadlineMissed, WorkerLost
from grader.sandbox.workers.printed import Output
from grader.sandbox.workers.work_clock import Wait, WorkClock

READ_BYTES = 1 << 18
MAX_ANSWER_BYTES_HELD = MAX_HEADER + MAX_BODY
"""Bytes of answers that may come while a request is still being written."""
MAX_LATE_READS = 5
"""Reads after a deadline: what is in a full pipe was written in time, and this process was late."""
CLOSING_SECONDS = 0.2
"""How long the rest of an ended worker's output is read."""


class WorkerPipes:
    """Requests out, answers and printed output in. The descriptors are closed by `close`.

    Deadlines are times of `clock`. `how_it_ended` gives the text of WorkerLost for a worker that has closed a pipe.
    """

    def __init__(
        self,
        requests: int,
        answers: int,
        printed: int,
        room: int,
        how_it_ended: Callable[[], str],
        clock: WorkClock,
    ) -> None:
        self._requests, self._answers, self._printed = requests, answers, printed
        self._how_it_ended, self._clock = how_it_ended, clock
        self._late_reads = 0
        self.reader = Reader()
        self.output = Output(room)
        self._selector = selectors.DefaultSelector()
        for descriptor in (answers, printed):
            self._selector.register(descriptor, selectors.EVENT_READ)
        for descriptor in (requests, answers, printed):
            os.set_blocking(descriptor, False)
        self._interrupt: int | None = None
        self._is_open = True

    def set_interrupt_fd(self, interrupt: int) -> None:
        self._interrupt = interrupt
        self._selector.register(interrupt, selectors.EVENT_READ)

    def send(self, data: bytes, deadline: float) -> None:
        """Write all of `data`. Raises WorkerLost, DeadlineMissed and Interrupted."""
        view = memoryview(data)
        with contextlib.suppress(BlockingIOError, BrokenPipeError):  # most often there is room: nothing to wait for
            view = view[os.write(self._requests, view) :]
        if not view:
            return
        self._selector.register(self._requests, selectors.EVENT_WRITE)
        wait, self._late_reads = Wait(self._clock, deadline), 0
        try:
            while view:
                ready = self._wait(wait)
                if self._requests in ready:
                    try:
                        view = view[os.write(self._requests, view) :]
                    except BlockingIOError:
                        pass
                    except BrokenPipeError:
                        raise WorkerLost(self._how_it_ended()) from None
                elif self._answers in ready:  # it may be waiting for room for them, and only then read on
                    self._take_answers()
                    if self.reader.held > MAX_ANSWER_BYTES_HELD:
                        raise WorkerLost("It sent answers without end, and did not read what it was asked.")
        finally:
            self._selector.unregister(self._requests)

    def receive(self, deadline: float) -> Frame:
        """The next frame that the worker sends. Raises WorkerLost, DeadlineMissed and Interrupted."""
        wait, self._late_reads = Wait(self._clock, deadline), 0
        while True:
            if (frame := self.reader.next()) is not None:
                return frame
            if self._answers in self._wait(wait):
                self._take_answers()

    def _take_answers(self) -> None:
        data = self._read(self._answers)
        if data == b"":
            raise WorkerLost(self._how_it_ended())
        self.reader.feed(data or b"")

    def _wait(self, wait: Wait) -> list[int]:
        """Descriptors that are ready; printed output is taken on the way. Raises DeadlineMissed, Interrupted."""
        seconds = wait.seconds_left()
        is_late = not seconds
        ready = [key.fd for key, _ in self._selector.select(seconds)]
        self._late_reads += is_late
        if is_late and (not ready or self._late_reads > MAX_LATE_READS):
            raise DeadlineMissed
        if self._interrupt in ready:
            raise Interrupted
        if self._printed in ready:
            self._take_printed()
        return ready

    def _take_printed(self) -> None:
        data = self._read(self._printed)
        if data == b"":
            self._selector.unregister(self._printed)
        elif data:
            self.output.write(data)

    def _read(self, descriptor: int) -> bytes | None:
        try:
            return os.read(descriptor, READ_BYTES)
        except BlockingIOError:
            return None

    def close(self) -> None:
        """Take what the worker has still printed, and close the descriptors. Call it once the worker has ended."""
        if not self._is_open:
            return
        self._is_open = False
        try:
            end = time.monotonic() + CLOSING_SECONDS
            while self._printed in self._selector.get_map() and time.monotonic() < end:
                data = self._read(self._printed)
                if not data:
                    break
                self.output.write(data)
        finally:
            self._selector.close()
            for descriptor in (self._requests, self._answers, self._printed):
                os.close(descriptor)
