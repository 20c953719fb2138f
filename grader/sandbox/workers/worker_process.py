"""The trusted side's end of one worker: requests written, answers read and checked, printed output kept, deadlines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from grader.calling.answer import Answer
from grader.calling.autograd_used import SWITCHED_ON
from grader.calling.numerical_watch import Seen
from grader.calling.protocol import Called, CallRequest
from grader.errors import ZygoteDied
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.usage import Usage
from grader.sandbox.workers import messages
from grader.sandbox.workers.codec import Budget, Frame
from grader.sandbox.workers.endings import WORKER_START_SECONDS, DeadlineMissed, WorkerLost, how_it_ended
from grader.sandbox.workers.messages import FileLoaded, Load, Observe, PackedProblem, Request, Run
from grader.sandbox.workers.work_clock import WorkClock
from grader.sandbox.workers.worker_pipes import WorkerPipes

MAX_SPANS = 10_000


class ZygoteHandle(Protocol):
    """Who started the worker and knows how it ended (client.ZygoteProcess)."""

    limits: Limits
    clock: WorkClock

    def end_of(self, number: int) -> int: ...

    def status_if_ended(self, number: int, seconds: float) -> int | None: ...

    def end_and_measure(self, number: int) -> Usage: ...


class WorkerProcess:
    """One worker, spoken to over pipes.

    Every method that waits has a deadline, and raises WorkerLost, DeadlineMissed or Interrupted.
    """

    def __init__(self, zygote: ZygoteHandle, number: int, requests: int, answers: int, output: int) -> None:
        self._zygote, self._number, self._limits, self._clock = zygote, number, zygote.limits, zygote.clock
        self._pipes = WorkerPipes(
            *(requests, answers, output),
            self._limits.output_bytes,
            lambda: how_it_ended(zygote.status_if_ended(number, 1.0)),
            self._clock,
        )
        self.output = self._pipes.output
        self.printed_before = 0  # bytes printed before the last run
        self._is_closed, self._is_locked_in = False, False
        self._has: set[int] = set()  # numbers of problems
        self._loaded = 0  # bytes printed when the file was loaded
        self._load_ticket = 0
        self._at_start = Usage(0, 0.0)
        self.switched_on = False  # it says that PyTorch differentiates again

    def set_interrupt_fd(self, interrupt: int) -> None:
        """From now on, waiting raises Interrupted as soon as that descriptor is readable: a key, a changed file."""
        self._pipes.set_interrupt_fd(interrupt)

    def wait_until_locked_in(self) -> None:
        """Take the frame that the worker sends before it knows a line of the student's. Raises ZygoteDied."""
        if self._is_locked_in:
            return
        try:
            header = self._pipes.receive(self._clock.now() + WORKER_START_SECONDS).header
        except (WorkerLost, DeadlineMissed) as error:
            raise ZygoteDied(f"a worker ended before it was locked in: {error}") from error
        if header.get("op") != "locked in":
            raise ZygoteDied(f"a worker could not be locked in: {header.get('message')}")
        self._at_start, self._is_locked_in = Usage(*header["used"]), True

    def begin_load(self, request: Load) -> None:
        """Have the worker run the submission's file; `take_loaded` waits for the reply."""
        self.wait_until_locked_in()
        self._load_ticket, _ = self._send(request, self._clock.now() + self._limits.import_seconds)

    def take_loaded(self) -> FileLoaded:
        frame = self._pipes.receive(self._clock.now() + self._limits.import_seconds)
        self._loaded = messages.printed_in(frame)
        return messages.decode_loaded(frame, self._load_ticket)

    def run(
        self,
        runs: Sequence[tuple[PackedProblem, Run]],
        until: float,
        batch_seconds: float | None = None,
    ) -> Iterator[tuple[int, str, Answer]]:
        """(number of the run, step, answer) as they arrive, each within the deadline of a step, all before `until`.

        All requests are sent at once, with the problems that the worker does not have yet. With `batch_seconds`, it
        may send answers together, and each must come within that many seconds. That saves much time where all goes
        well; where it does not, nobody knows which step was at fault. Without `batch_seconds` the step at fault is the
        one that is due.
        """
        self.printed_before = self.output.total
        frames, tickets = [], [messages.new_ticket() for _ in runs]
        for (problem, run), ticket in zip(runs, tickets, strict=True):
            one_by_one = replace(run, one_by_one=batch_seconds is None)
            frames += [self._frame_once(problem), messages.encode_request(one_by_one, ticket)[0]]
        seconds = self._limits.step_seconds if batch_seconds is None else min(batch_seconds, self._limits.step_seconds)
        self._pipes.reader.max_body = max(problem.room for problem, _ in runs)
        self.send_bytes(b"".join(frames), min(until, self._clock.now() + seconds))
        for number, ((problem, run), ticket) in enumerate(zip(runs, tickets, strict=True)):
            for step in run.steps:
                frame = self._pipes.receive(min(until, self._clock.now() + seconds))
                answer = messages.decode_answer(frame, step, ticket, problem.known, problem.room)
                self._mark(frame, run.joint[0] if run.joint else step)
                self._notice(answer)
                yield number, step, answer

    def _frame_once(self, problem: PackedProblem) -> bytes:
        """The problem as it is sent; nothing where the worker has it already."""
        is_new = problem.number not in self._has
        self._has.add(problem.number)
        return problem.frame if is_new else b""

    def observe(
        self, request: Observe | CallRequest, until: float, problem: PackedProblem | None = None
    ) -> dict[str, Seen]:
        """{step or function: what was seen} while steps were run again, or a call made again; see NumericalWatch."""
        self.printed_before = self.output.total
        if problem is not None:
            self.send_bytes(self._frame_once(problem), until)
        ticket, _ = self._send(request, until)
        frame = self._pipes.receive(until)
        return messages.decode_observed(frame, ticket)

    def call(self, request: CallRequest, until: float) -> Called:
        """One call of a function, a class or a method; the reply is checked as an answer is."""
        deadline = min(until, self._clock.now() + self._limits.step_seconds)
        self._pipes.reader.max_body = messages.CALL_ROOM
        ticket, budget = self._send(request, deadline)
        reply = self._pipes.receive(deadline)
        called = messages.decode_called(reply, ticket, budget)
        self._mark(reply, request.name)
        self._notice(called.failed)
        return called

    def _mark(self, frame: Frame, label: str) -> None:
        """Notes which function printed what came since the answer before, as far as the worker says."""
        spans, now = self.output.spans, messages.printed_in(frame)
        before = spans[-1][1] if spans else self._loaded
        if now > before and len(spans) < MAX_SPANS:
            spans.append((before, now, label))

    def _notice(self, answer: Answer | None) -> None:
        self.switched_on |= answer is not None and answer.message == SWITCHED_ON

    def _send(self, request: Request, deadline: float) -> tuple[int, Budget]:
        """(the ticket of the request, how large its reply may be)."""
        ticket = messages.new_ticket()
        data, budget = messages.encode_request(request, ticket)
        self.send_bytes(data, deadline)
        return ticket, budget

    def send_bytes(self, data: bytes, deadline: float) -> None:
        self._pipes.send(data, deadline)

    def end_and_measure(self) -> Usage:
        """Kills the worker; returns what it used since it was locked in, by the kernel's account."""
        at_end = self._zygote.end_and_measure(self._number)
        self.close()
        return Usage(
            at_end.resident_bytes - self._at_start.resident_bytes, at_end.cpu_seconds - self._at_start.cpu_seconds
        )

    def close(self) -> None:
        """Kill the worker and take what it had still printed."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._zygote.end_of(self._number)
        finally:
            self._pipes.close()
