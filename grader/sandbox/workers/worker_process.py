"""The trusted side's end of one worker: requests written, answers read and checked, printed output kept, deadlines."""

from __future__ import annotations

import contextlib
import os
import selectors
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from grader.calling.answer import Answer
from grader.errors import Interrupted, ZygoteDied
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.usage import Usage
from grader.sandbox.workers.codec import MAX_BODY, MAX_HEADER, Frame, Reader
from grader.sandbox.workers.endings import WORKER_START_SECONDS, DeadlineMissed, WorkerLost, how_it_ended
from grader.sandbox.workers.messages import PackedRequest, decode_answer
from grader.sandbox.workers.printed import Output
from grader.sandbox.workers.work_clock import TimeAccount

READ_BYTES = 1 << 18
MAX_ANSWER_BYTES_HELD = MAX_HEADER + MAX_BODY
"""Bytes of answers that may come while a request is still being written."""
MAX_LATE_READS = 5
"""Reads after a deadline: what is in a full pipe was written in time, and this process was late."""
CLOSING_SECONDS = 0.2
"""How long the rest of an ended worker's output is read."""


class ZygoteHandle(Protocol):
    """Who started the worker and knows how it ended (client.ZygoteProcess)."""

    limits: Limits

    def account(self, seconds: float) -> TimeAccount: ...

    def end_of(self, number: int) -> int: ...

    def status_if_ended(self, number: int, seconds: float) -> int | None: ...

    def end_and_measure(self, number: int) -> Usage: ...


class WorkerProcess:
    """One worker, spoken to over pipes.

    What is waited for is paid for by accounts of time. Every method that waits raises WorkerLost, Interrupted, and
    DeadlineMissed once one of them is used up.
    """

    def __init__(self, zygote: ZygoteHandle, number: int, requests: int, answers: int, printed: int) -> None:
        self._zygote, self._number = zygote, number
        self._requests, self._answers, self._printed = requests, answers, printed
        self._interrupt: int | None = None
        self._reader = Reader()
        self._selector = selectors.DefaultSelector()
        for descriptor in (answers, printed):
            self._selector.register(descriptor, selectors.EVENT_READ)
        for descriptor in (requests, answers, printed):
            os.set_blocking(descriptor, False)
        self.output = Output(zygote.limits.output_bytes)
        self.printed_before = 0  # bytes kept of what was printed before the last requests
        self._is_closed, self._is_locked_in = False, False
        self._at_start = Usage(0, 0.0)

    def set_interrupt_fd(self, interrupt: int) -> None:
        """From now on, waiting raises Interrupted as soon as that descriptor is readable: a key, a changed file."""
        self._interrupt = interrupt
        self._selector.register(interrupt, selectors.EVENT_READ)

    # Requests --------------------------------------------------------------------------------------------------------

    def wait_until_locked_in(self) -> None:
        """Take the frame that the worker sends before it knows a line of the student's. Raises ZygoteDied."""
        if self._is_locked_in:
            return
        try:
            header = self.receive(self._zygote.account(WORKER_START_SECONDS)).header
        except (WorkerLost, DeadlineMissed) as error:
            raise ZygoteDied(f"a worker ended before it was locked in: {error}") from error
        if header.get("op") != "locked in":
            raise ZygoteDied(f"a worker could not be locked in: {header.get('message')}")
        self._at_start, self._is_locked_in = Usage(*header["used"]), True

    def ask(self, requests: Sequence[PackedRequest], seconds: float, *accounts: TimeAccount) -> None:
        """Sends all requests at once, within so many seconds."""
        self.printed_before = len(self.output.data)
        self._reader.max_body = max(each.terms.room for each in requests)
        self.send(b"".join(each.data for each in requests), self._zygote.account(seconds), *accounts)

    def answers(self, requests: Sequence[PackedRequest], seconds: float, *accounts: TimeAccount) -> Iterator[Answer]:
        """The answers to them in order as they arrive, each within so many seconds."""
        for each in requests:
            for name in each.names:
                yield decode_answer(self.receive(self._zygote.account(seconds), *accounts), name, each)

    # Pipes -----------------------------------------------------------------------------------------------------------

    def send(self, data: bytes, *accounts: TimeAccount) -> None:
        """Write all of `data`."""
        view = memoryview(data)
        with contextlib.suppress(BlockingIOError, BrokenPipeError):  # most often there is room: nothing to wait for
            view = view[os.write(self._requests, view) :]
        if not view:
            return
        self._selector.register(self._requests, selectors.EVENT_WRITE)
        wait = self._waiting(accounts)
        try:
            while view:
                ready = wait()
                if self._requests in ready:
                    try:
                        view = view[os.write(self._requests, view) :]
                    except BlockingIOError:
                        pass
                    except BrokenPipeError:
                        raise WorkerLost(self._how_it_ended()) from None
                elif self._answers in ready:  # it may be waiting for room for them, and only then read on
                    self._take_answers()
                    if self._reader.held > MAX_ANSWER_BYTES_HELD:
                        raise WorkerLost("It sent answers without end, and did not read what it was asked.")
        finally:
            self._selector.unregister(self._requests)

    def receive(self, *accounts: TimeAccount) -> Frame:
        """The next frame that the worker sends."""
        wait = self._waiting(accounts)
        while (frame := self._reader.next()) is None:
            if self._answers in wait():
                self._take_answers()
        return frame

    def _take_answers(self) -> None:
        data = self._read(self._answers)
        if data == b"":
            raise WorkerLost(self._how_it_ended())
        self._reader.feed(data or b"")

    def _waiting(self, accounts: Sequence[TimeAccount]) -> Callable[[], list[int]]:
        """A function that waits until descriptors are ready, and takes printed output on the way."""
        until, late_reads = time.monotonic(), 0

        def wait() -> list[int]:
            nonlocal until, late_reads
            seconds = min(each.seconds_to_wait for each in accounts)
            ready = [key.fd for key, _ in self._selector.select(seconds)]
            since, until = until, time.monotonic()
            for each in accounts:
                each.passes(until - since)
            late_reads += not seconds
            if not seconds and (not ready or late_reads > MAX_LATE_READS):
                raise DeadlineMissed
            if self._interrupt in ready:
                raise Interrupted
            if self._printed in ready:
                self._take_printed()
            return ready

        return wait

    def _how_it_ended(self) -> str:
        return how_it_ended(self._zygote.status_if_ended(self._number, 1.0))

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

    def end_and_measure(self) -> Usage:
        """Kills the worker; returns what it used since it was locked in, by the kernel's account."""
        at_end = self._zygote.end_and_measure(self._number)
        self.close()
        return Usage(
            at_end.resident_bytes - self._at_start.resident_bytes, at_end.cpu_seconds - self._at_start.cpu_seconds
        )

    def close(self) -> None:
        """Kill the worker, take what it had still printed, and close the descriptors."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._zygote.end_of(self._number)
            end = time.monotonic() + CLOSING_SECONDS
            while self._printed in self._selector.get_map() and time.monotonic() < end:
                if not (data := self._read(self._printed)):
                    break
                self.output.write(data)
        finally:
            self._selector.close()
            for descriptor in (self._requests, self._answers, self._printed):
                os.close(descriptor)
