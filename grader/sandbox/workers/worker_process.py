"""The trusted side's end of one worker: requests written, answers read and checked, printed output kept, deadlines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import astuple
from typing import Any, Protocol

from grader.calling.answer import Answer
from grader.calling.autograd_used import SWITCHED_ON
from grader.calling.joint import Joint
from grader.calling.numerical_watch import Seen
from grader.calling.protocol import Called
from grader.errors import ZygoteDied
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.usage import Usage
from grader.sandbox.workers import wire
from grader.sandbox.workers.budget import LEAST
from grader.sandbox.workers.endings import WORKER_START_SECONDS, DeadlineMissed, WireError, WorkerLost, how_it_ended
from grader.sandbox.workers.replies import decode_called, decode_loaded, decode_observed
from grader.sandbox.workers.requests import PackedProblem, RunRequest, new_ticket, observe_request
from grader.sandbox.workers.tree import frame_and_size
from grader.sandbox.workers.work_clock import WorkClock
from grader.sandbox.workers.worker_pipes import WorkerPipes

MAX_SPANS = 10_000
CALL_ROOM = 1 << 24  # bytes of tensors in the reply to a call


class ZygoteHandle(Protocol):
    """Who started the worker and knows how it ended (client.ZygoteProcess)."""

    limits: Limits
    clock: WorkClock

    def end_of(self, number: int) -> int: ...

    def status_if_ended(self, number: int, seconds: float) -> int | None: ...

    def end_and_measure(self, number: int) -> Usage: ...


class WorkerProcess:
    """One worker, spoken to over pipes. Every method that waits has a deadline."""

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
        self._loaded = 0  # bytes printed when the file was loaded
        self._at_start = Usage(0, 0.0)
        self.switched_on = False  # it says that PyTorch differentiates again

    def set_interrupt_fd(self, interrupt: int) -> None:
        """From now on, waiting raises Interrupted as soon as that descriptor is readable: a key, a changed file."""
        self._pipes.set_interrupt_fd(interrupt)

    def begin_load(
        self, files: Mapping[str, bytes], main: str, memory: bool = False, not_allowed: Sequence[str] = ()
    ) -> None:
        """Have the worker run the submission's file; `take_loaded` waits for the reply.

        With `memory`, the worker's resident memory is made to follow what the file and its functions hold.
        `not_allowed` are parts of PyTorch that are removed first, see library_off.py.
        Raises WorkerLost or DeadlineMissed.
        """
        self.wait_until_locked_in()
        entries = [{"name": name, "size": len(source)} for name, source in files.items()]
        deadline = self._clock.now() + self._limits.import_seconds
        request = {"op": "load", "files": entries, "main": main, "memory": memory, "not_allowed": list(not_allowed)}
        self._send(request, b"".join(files.values()), deadline)

    def take_loaded(self) -> dict[str, Any]:
        """The reply: op "loaded" with function names, or "failed" with message and line.

        Raises WorkerLost or DeadlineMissed.
        """
        header = self._pipes.receive(self._clock.now() + self._limits.import_seconds).header
        self._loaded = wire.printed_in(header)
        return decode_loaded(header)

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

    def send_packed(self, problem: PackedProblem) -> None:
        self._send_bytes(problem.frame, self._clock.now() + self._limits.step_seconds)

    def run(
        self, runs: Sequence[RunRequest], sent: Collection[int], until: float, batch_seconds: float | None = None
    ) -> Iterator[tuple[RunRequest, str, Answer]]:
        """(run, step, answer) as they arrive, each within the deadline of a step, all before `until` (of the clock).

        All requests are sent at once, with the problems whose numbers are not in `sent`. With `batch_seconds`, the
        worker may send answers together, and each must come within that many seconds. That saves much time where all
        goes well; where it does not, nobody knows which step was at fault.

        Raises WorkerLost or DeadlineMissed; without `batch_seconds` the step at fault is the one that is due.
        """
        self.printed_before = self.output.total
        tickets = [new_ticket() for _ in runs]
        frames = []
        for run, ticket in zip(runs, tickets, strict=True):
            frames += [run.problem.frame] if run.problem.number not in sent else []
            frames.append(run.frame(ticket, one_by_one=batch_seconds is None))
        seconds = self._limits.step_seconds if batch_seconds is None else min(batch_seconds, self._limits.step_seconds)
        self._pipes.reader.max_body = max(run.problem.room for run in runs)
        self._send_bytes(b"".join(frames), min(until, self._clock.now() + seconds))
        for run, ticket in zip(runs, tickets, strict=True):
            for step in run.steps:
                frame = self._pipes.receive(min(until, self._clock.now() + seconds))
                try:
                    answer = wire.decode_answer(frame, step, ticket, run.problem.known, run.problem.room)
                except WireError as error:
                    raise WorkerLost(f"Its answer could not be read ({error}).") from error
                self._notice(answer)
                self._mark(frame, run.joint.name if run.joint else step)
                yield run, step, answer

    def observe(self, problem: int, steps: Sequence[str], joint: Joint | None, until: float) -> dict[str, Seen]:
        """{step: what was seen} while steps were run again; see NumericalWatch. Raises WorkerLost or DeadlineMissed."""
        self.printed_before = self.output.total
        ticket = new_ticket()
        self._send_bytes(observe_request(problem, steps, joint, ticket), until)
        try:
            return decode_observed(self._pipes.receive(until), steps, ticket)
        except WireError as error:
            raise WorkerLost(f"Its answer could not be read ({error}).") from error

    def observe_call(
        self, request: Mapping[str, Any], args: list[Any], kwargs: dict[str, Any], until: float
    ) -> Seen | None:
        """What was seen while a call was made again; see NumericalWatch. Raises WorkerLost or DeadlineMissed."""
        self.printed_before = self.output.total
        ticket = new_ticket()
        frame, _ = frame_and_size({**request, "op": "observe call", "ticket": ticket}, args=args, kwargs=kwargs)
        self._send(frame.header, frame.body, until)
        try:
            return decode_observed(self._pipes.receive(until), [request["name"]], ticket).get(request["name"])
        except WireError as error:
            raise WorkerLost(f"Its answer could not be read ({error}).") from error

    def _mark(self, frame: wire.Frame, label: str) -> None:
        """Notes which function printed what came since the answer before, as far as the worker says."""
        spans, now = self.output.spans, wire.printed_in(frame.header)
        before = spans[-1][1] if spans else self._loaded
        if now > before and len(spans) < MAX_SPANS:
            spans.append((before, now, label))

    def _notice(self, answer: Answer | None) -> None:
        self.switched_on |= answer is not None and answer.message == SWITCHED_ON

    def call(self, request: Mapping[str, Any], args: list[Any], kwargs: dict[str, Any], until: float) -> Called:
        """One call of a function, a class or a method; the reply checked as an answer is. `request` says of what.

        Raises WorkerLost or DeadlineMissed.
        """
        ticket, deadline = new_ticket(), min(until, self._clock.now() + self._limits.step_seconds)
        header = {**request, "op": "call", "ticket": ticket, "room": CALL_ROOM}
        frame, sent = frame_and_size(header, args=args, kwargs=kwargs)
        budget = LEAST.at_least(sent)
        frame.header["budget"] = astuple(budget)
        self._pipes.reader.max_body = CALL_ROOM
        self._send(frame.header, frame.body, deadline)
        reply = self._pipes.receive(deadline)
        try:
            called = decode_called(reply, ticket, budget)
            self._mark(reply, str(request["name"]))
        except WireError as error:
            raise WorkerLost(f"Its answer could not be read ({error}).") from error
        self._notice(called.failed)
        return called

    def _send_bytes(self, data: bytes, deadline: float) -> None:
        self._pipes.send(data, deadline)

    def _send(self, header: dict[str, Any], body: bytes | bytearray, deadline: float) -> None:
        self._send_bytes(wire.encode_frame(wire.Frame(header, body)), deadline)

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
