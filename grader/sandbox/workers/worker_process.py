"""The trusted side's end of one worker: requests written, answers read and checked, printed output kept, deadlines."""

from __future__ import annotations

import itertools
import math
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
from grader.sandbox.workers.requests import (
    PackedProblem,
    PackedUpstream,
    StepRequest,
    new_ticket,
    observe_request,
    step_request,
)
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
        self._known: dict[int, frozenset[str]] = {}  # problem -> names that a step may ask for
        self._room: dict[int, int] = {}  # problem -> bytes of an answer that are still taken
        self.printed_before = 0  # bytes printed before the last run
        self.ahead: dict[int, object] = {}  # problems that it was sent before it was needed, by number
        self._is_closed, self._is_locked_in, self._is_rehearsing = False, False, False
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
        self._wait_until_ready()
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

    def rehearse(self) -> None:
        """Have the worker use what a step uses, while nobody waits for it. Raises ZygoteDied."""
        self.wait_until_locked_in()
        self._send({"op": "rehearse"}, b"", self._clock.now() + WORKER_START_SECONDS)
        self._is_rehearsing = True

    def _wait_until_ready(self) -> None:
        self.wait_until_locked_in()
        if self._is_rehearsing:
            self._take_start("rehearsed")
            self._is_rehearsing = False

    def wait_until_locked_in(self) -> None:
        """Takes the worker's first frame. Called on first use. Raises ZygoteDied."""
        if not self._is_locked_in:
            self._take_start("locked in")
            self._is_locked_in = True

    def _take_start(self, expected: str) -> None:
        """Takes a frame sent before the worker knows a line of the student's: what comes later is not believed."""
        try:
            header = self._pipes.receive(self._clock.now() + WORKER_START_SECONDS).header
        except (WorkerLost, DeadlineMissed) as error:
            raise ZygoteDied(f"a worker ended before it was {expected}: {error}") from error
        if header.get("op") != expected:
            raise ZygoteDied(f"a worker could not be {expected}: {header.get('message')}")
        self._at_start = Usage(*header["used"])

    def knows(self, problem: PackedProblem) -> None:
        """The problem is there already, or on its way."""
        self._room[problem.number], self._known[problem.number] = problem.room, problem.known

    def send_packed(self, problem: PackedProblem) -> None:
        self.knows(problem)
        self._send_bytes(problem.frame, self._clock.now() + self._limits.step_seconds)

    def knows_upstream(self, upstream: PackedUpstream) -> None:
        """The gradients are on their way: steps may ask for them from now on."""
        self._known[upstream.number] |= upstream.known

    def run(
        self,
        problem: int,
        steps: Sequence[str],
        needs: Mapping[str, Collection[str]] | None = None,
        until: float = math.inf,
        joint: Joint | None = None,
        traced: bool = False,
        batch_seconds: float | None = None,
        first: Sequence[PackedProblem | PackedUpstream] = (),
    ) -> Iterator[tuple[str, Answer]]:
        """(step, answer) as they arrive, each within the deadline of a step, all before `until` (of the clock).

        With `batch_seconds`, the worker may send answers together, and each must come within that many seconds. That
        saves much time where all goes well; where it does not, nobody knows which step was at fault.

        With `needs`, the student's own chain is run: a step is skipped when one of the steps it needs gave no tensor.
        With `joint`, all steps are answered by one call of that function. Only `traced` steps have their operators
        counted and float32 noticed, which makes them some four times slower. `first` is sent in front of the question.

        Raises WorkerLost or DeadlineMissed; without `batch_seconds` the step at fault is the one that is due.
        """
        self.printed_before = self.output.total
        for packed in first:
            if isinstance(packed, PackedProblem):
                self.knows(packed)
            else:
                self.knows_upstream(packed)
        request = step_request(
            problem, steps, self._room[problem], needs, joint, traced, one_by_one=batch_seconds is None
        )
        self._pipes.reader.max_body = self._room[problem]
        data = b"".join([*(packed.frame for packed in first), request.frame])
        self._send_bytes(data, min(until, self._clock.now() + self._limits.step_seconds))
        yield from self._answers_to(request, batch_seconds, until)

    def run_all(
        self,
        problems: Sequence[PackedProblem],
        sent: Collection[int],
        steps: Sequence[str],
        batch_seconds: float,
        until: float,
        traced: bool = False,
    ) -> Iterator[tuple[int, dict[str, Answer]]]:
        """(problem's number, {step: answer}) for problem after problem, all in one batch.

        Problems whose number is in `sent` are there already. Raises WorkerLost or DeadlineMissed.
        """
        self.printed_before = self.output.total
        for problem in problems:
            self.knows(problem)
        requests = [step_request(problem.number, steps, problem.room, traced=traced) for problem in problems]
        self._pipes.reader.max_body = max((problem.room for problem in problems), default=0)
        frames = ((b"" if p.number in sent else p.frame, run.frame) for p, run in zip(problems, requests, strict=True))
        data = b"".join(itertools.chain.from_iterable(frames))
        self._send_bytes(data, min(until, self._clock.now() + min(batch_seconds, self._limits.step_seconds)))
        for run in requests:
            yield run.problem, dict(self._answers_to(run, batch_seconds, until))

    def run_stages(
        self, upstream: PackedUpstream, stages: Sequence[Sequence[str]], batch_seconds: float, until: float
    ) -> Iterator[tuple[str, Answer]]:
        """(step, answer) for stage after stage: each is fed the answers of the stages before it.

        The problem is there already; `upstream` are more of its gradients. Raises WorkerLost or DeadlineMissed.
        """
        number, steps = upstream.number, list(itertools.chain.from_iterable(stages))
        self.printed_before = self.output.total
        self.knows_upstream(upstream)
        known = self._known[number] | set(steps)
        self._pipes.reader.max_body = self._room[number]
        request = step_request(number, steps, self._room[number], upstream=upstream, stages=stages)
        self._send_bytes(request.frame, min(until, self._clock.now() + batch_seconds))
        yield from self._answers_to(request, batch_seconds, until, known)

    def observe(self, problem: int, steps: Sequence[str], joint: Joint | None, until: float) -> dict[str, Seen]:
        """{step: what was seen} while steps were run again; see NumericalWatch. Raises WorkerLost or DeadlineMissed."""
        self.printed_before = self.output.total
        ticket, deadline = new_ticket(), min(until, self._clock.now() + self._limits.step_seconds)
        self._send_bytes(observe_request(problem, steps, joint, ticket), deadline)
        try:
            return decode_observed(self._pipes.receive(deadline), steps, ticket)
        except WireError as error:
            raise WorkerLost(f"Its answer could not be read ({error}).") from error

    def _answers_to(
        self, request: StepRequest, batch_seconds: float | None, until: float, known: Collection[str] = ()
    ) -> Iterator[tuple[str, Answer]]:
        seconds = self._limits.step_seconds if batch_seconds is None else min(batch_seconds, self._limits.step_seconds)
        known, room = known or self._known[request.problem], self._room[request.problem]
        for step in request.steps:
            frame = self._pipes.receive(min(until, self._clock.now() + seconds))
            try:
                answer = wire.decode_answer(frame, step, request.ticket, known, room)
            except WireError as error:
                raise WorkerLost(f"Its answer could not be read ({error}).") from error
            self._notice(answer)
            self._mark(frame, request.label or step)
            yield step, answer

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
