"""The trusted side's end of one worker: requests written, answers read and checked, printed output kept, deadlines."""

from __future__ import annotations

import contextlib
import os
import selectors
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from grader.calling.answer import Answer
from grader.calling.autograd_used import SWITCHED_ON
from grader.calling.numerical_watch import Seen
from grader.calling.protocol import Called, CallRequest
from grader.errors import Interrupted, ZygoteDied
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.usage import Usage
from grader.sandbox.workers import messages
from grader.sandbox.workers.codec import MAX_BODY, MAX_HEADER, Frame, Reader
from grader.sandbox.workers.endings import WORKER_START_SECONDS, DeadlineMissed, WorkerLost, how_it_ended
from grader.sandbox.workers.messages import FileLoaded, Load, Observed, PackedProblem, Request, Run
from grader.sandbox.workers.printed import Output
from grader.sandbox.workers.work_clock import Wait, WorkClock

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
    clock: WorkClock

    def end_of(self, number: int) -> int: ...

    def status_if_ended(self, number: int, seconds: float) -> int | None: ...

    def end_and_measure(self, number: int) -> Usage: ...


class WorkerProcess:
    """One worker, spoken to over pipes.

    Deadlines are times of the zygote's clock. Every method that waits has one, and raises WorkerLost, DeadlineMissed or
    Interrupted.
    """

    def __init__(self, zygote: ZygoteHandle, number: int, requests: int, answers: int, printed: int) -> None:
        self._zygote, self._number, self._limits, self._clock = zygote, number, zygote.limits, zygote.clock
        self._requests, self._answers, self._printed = requests, answers, printed
        self._interrupt: int | None = None
        self._late_reads = 0
        self._reader = Reader()
        self._selector = selectors.DefaultSelector()
        for descriptor in (answers, printed):
            self._selector.register(descriptor, selectors.EVENT_READ)
        for descriptor in (requests, answers, printed):
            os.set_blocking(descriptor, False)
        self.output = Output(self._limits.output_bytes)
        self.printed_before = 0  # bytes kept of what was printed before the last run
        self._is_closed, self._is_locked_in = False, False
        self._load_ticket = 0
        self._at_start = Usage(0, 0.0)
        self.switched_on = False  # it says that PyTorch differentiates again

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
            header = self.receive(self._clock.now() + WORKER_START_SECONDS).header
        except (WorkerLost, DeadlineMissed) as error:
            raise ZygoteDied(f"a worker ended before it was locked in: {error}") from error
        if header.get("op") != "locked in":
            raise ZygoteDied(f"a worker could not be locked in: {header.get('message')}")
        self._at_start, self._is_locked_in = Usage(*header["used"]), True

    def begin_load(self, request: Load) -> None:
        """Have the worker run the submission's file; `take_loaded` waits for the reply."""
        self.wait_until_locked_in()
        self._load_ticket, _ = self._request(request, self._clock.now() + self._limits.import_seconds)

    def take_loaded(self) -> FileLoaded:
        frame = self.receive(self._clock.now() + self._limits.import_seconds)
        return messages.decode_loaded(frame, self._load_ticket)

    def run(
        self,
        runs: Sequence[tuple[PackedProblem, Run]],
        until: float,
        batch_seconds: float | None = None,
    ) -> Iterator[tuple[int, str, Answer]]:
        """(number of the run, step, answer) as they arrive, each within the deadline of a step, all before `until`.

        All problems and requests are sent at once. With `batch_seconds`, the worker may send answers together, and each
        must come within that many seconds. That saves much time where all goes well; where it does not, nobody knows
        which step was at fault. Without `batch_seconds` the step at fault is the one that is due.
        """
        self.printed_before = len(self.output.data)
        frames, tickets = [], [messages.new_ticket() for _ in runs]
        for (problem, run), ticket in zip(runs, tickets, strict=True):
            one_by_one = replace(run, one_by_one=batch_seconds is None)
            frames += [problem.frame, messages.encode_request(one_by_one, ticket)[0]]
        seconds = self._limits.step_seconds if batch_seconds is None else min(batch_seconds, self._limits.step_seconds)
        self._reader.max_body = max(problem.room for problem, _ in runs)
        self.send(b"".join(frames), min(until, self._clock.now() + seconds))
        for number, ((problem, run), ticket) in enumerate(zip(runs, tickets, strict=True)):
            for step in run.steps:
                frame = self.receive(min(until, self._clock.now() + seconds))
                answer = messages.decode_answer(frame, step, ticket, problem.known, problem.room)
                self._notice(answer)
                yield number, step, answer

    def observe(
        self, request: Run | CallRequest, until: float, problem: PackedProblem | None = None
    ) -> dict[str, Seen]:
        """{step or function: what was seen} while steps were run again, or a call made again; see NumericalWatch."""
        self.printed_before = len(self.output.data)
        if problem is not None:
            self.send(problem.frame, until)
        ticket, _ = self._request(request, until)
        return dict(messages.decode_reply(Observed, self.receive(until), ticket).rows)

    def call(self, request: CallRequest, until: float) -> Called:
        """One call of a function, a class or a method; the reply is checked as an answer is."""
        deadline = min(until, self._clock.now() + self._limits.step_seconds)
        self._reader.max_body = messages.CALL_ROOM
        ticket, budget = self._request(request, deadline)
        called = messages.decode_called(self.receive(deadline), ticket, budget)
        self._notice(called.failed)
        return called

    def _request(self, request: Request, deadline: float) -> tuple[int, int]:
        """(the ticket of the request, the budget of its reply)."""
        ticket = messages.new_ticket()
        data, budget = messages.encode_request(request, ticket)
        self.send(data, deadline)
        return ticket, budget

    def _notice(self, answer: Answer | None) -> None:
        self.switched_on |= answer is not None and answer.message == SWITCHED_ON

    # Pipes -----------------------------------------------------------------------------------------------------------

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
                    if self._reader.held > MAX_ANSWER_BYTES_HELD:
                        raise WorkerLost("It sent answers without end, and did not read what it was asked.")
        finally:
            self._selector.unregister(self._requests)

    def receive(self, deadline: float) -> Frame:
        """The next frame that the worker sends. Raises WorkerLost, DeadlineMissed and Interrupted."""
        wait, self._late_reads = Wait(self._clock, deadline), 0
        while True:
            if (frame := self._reader.next()) is not None:
                return frame
            if self._answers in self._wait(wait):
                self._take_answers()

    def _take_answers(self) -> None:
        data = self._read(self._answers)
        if data == b"":
            raise WorkerLost(self._how_it_ended())
        self._reader.feed(data or b"")

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
