"""The trusted side's end of one worker: requests written, answers read and checked, printed output kept, deadlines."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import socket
import time
from collections.abc import Callable

from grader.calling.answer import Answer
from grader.errors import Interrupted, ZygoteDied
from grader.sandbox.isolation.limits import Usage
from grader.sandbox.workers.codec import MAX_BODY, Frame, take_frame
from grader.sandbox.workers.fork_server import Child
from grader.sandbox.workers.messages import PackedRequest, decode_reply
from grader.sandbox.workers.printed import Output
from grader.sandbox.workers.waiting import ENDING_SECONDS, WORKER_START_SECONDS, DeadlineMissed, TimeAccount, WorkerLost

PIPE_BYTES, READ_BYTES = 1 << 20, 1 << 18
MAX_LATE_READS = 5
"""Reads after a deadline: what is in a full pipe was written in time, and this process was late."""
CAUSES = {
    "SIGSEGV": " (a crash in compiled code)",
    "SIGXCPU": " (processor time used up)",
    "SIGKILL": " (killed: memory or time used up)",
}


class WorkerProcess(Child):
    """One worker, spoken to over pipes of requests, answers and what is printed.

    What is waited for is paid for by accounts of time. Every method that waits raises WorkerLost, Interrupted,
    ZygoteDied, and DeadlineMissed once one of them is used up.

    Attributes:
        output: what it prints, see print_to.
        interrupt: a descriptor or None; once it is readable, waiting raises Interrupted: a key, a changed file.
    """

    def __init__(self, zygote: socket.socket, account: Callable[[float], TimeAccount], output_bytes: int) -> None:
        """A fresh fork of a zygote; `account` makes an account of so many seconds. Raises ZygoteDied."""
        (requests_read, self._requests), (self._answers, answers_write) = os.pipe(), os.pipe()
        self._printed, output_write = os.pipe()
        for pipe in (self._requests, self._answers):  # a process that finds a pipe full has to wait
            with contextlib.suppress(OSError, AttributeError):  # a limit of the system's, or a system without
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        super().__init__(zygote, [requests_read, answers_write, output_write])
        self._ours = self._requests, self._answers, self._printed
        for descriptor in self._ours:
            os.set_blocking(descriptor, False)
        self._account = account
        self._open = [self._answers, self._printed]  # what may still be read from
        self._unsent = memoryview(b"")
        self._received, self._max_body = bytearray(), MAX_BODY
        self.output = Output(output_bytes)
        self.interrupt: int | None = None
        self._at_start: Usage | None = None  # once it is locked in
        self._is_closed = False

    def wait_until_locked_in(self) -> None:
        """Take the frame that the worker sends before it knows a line of the student's. Raises ZygoteDied."""
        if self._at_start is not None:
            return
        try:
            header = self.receive(self._account(WORKER_START_SECONDS)).header
        except (WorkerLost, DeadlineMissed) as error:
            raise ZygoteDied(f"a worker ended before it was locked in: {error}") from error
        if header.get("op") != "locked in":
            raise ZygoteDied(f"a worker could not be locked in: {header.get('message')}")
        self._at_start = Usage(*header["used"])

    def answers(self, request: PackedRequest, seconds: float, *accounts: TimeAccount) -> list[Answer]:
        """The answers to a request, within so many seconds."""
        self._max_body, self._unsent = request.room * len(request.names), memoryview(request.data)
        return decode_reply(self.receive(self._account(seconds), *accounts), request)

    def receive(self, *accounts: TimeAccount) -> Frame:
        """The next frame that the worker sends. Meanwhile the request is sent, and what it prints is kept."""
        until, late_reads = time.monotonic(), 0
        while (frame := take_frame(self._received, self._max_body)) is None:
            seconds = min(each.seconds_to_wait for each in accounts)
            waits_for = self._open if self.interrupt is None else [*self._open, self.interrupt]
            ready, can_send, _ = select.select(waits_for, [self._requests] if self._unsent else [], [], seconds)
            since, until = until, time.monotonic()
            for each in accounts:
                each.passes(until - since)
            late_reads += not seconds
            if not seconds and (not (ready or can_send) or late_reads > MAX_LATE_READS):
                raise DeadlineMissed
            if self.interrupt in ready:
                raise Interrupted
            if self._printed in ready:
                data = self._read(self._printed)
                self.output.write(data or b"")
                if data == b"":
                    self._open.remove(self._printed)
            if can_send:
                self._send()
            if self._answers in ready:
                if (data := self._read(self._answers)) == b"":
                    raise WorkerLost(self._how_it_ended())
                self._received += data or b""
        return frame

    def _send(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._requests, self._unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # what it has answered counts; where no answer comes, we hear how it ended
            self._unsent = memoryview(b"")

    def _read(self, descriptor: int) -> bytes | None:
        try:
            return os.read(descriptor, READ_BYTES)
        except BlockingIOError:
            return None

    def _how_it_ended(self) -> str:
        """A sentence for the student about a worker that has closed its pipe of answers."""
        try:
            status = self.ending(ENDING_SECONDS).status
        except TimeoutError:
            return "It closed the pipe on which its answers are awaited."
        if status >= 0:
            return f"Its process ended by itself (exit status {status}) before it had answered."
        name = signal.Signals(-status).name if -status in signal.Signals._value2member_map_ else f"signal {-status}"
        return f"Its process was ended by {name}{CAUSES.get(name, '')}."

    def end_and_measure(self) -> Usage:
        """Kills the worker; returns what it used since it was locked in, by the kernel's account."""
        self.kill()
        at_end, at_start = self.ending().used, self._at_start or Usage(0, 0.0)
        self.close()
        return Usage(at_end.resident_bytes - at_start.resident_bytes, at_end.cpu_seconds - at_start.cpu_seconds)

    def print_to(self, output: Output) -> None:
        """Keep what it prints from now on there; what it has printed by now is still kept where it was."""
        for _ in range(MAX_LATE_READS):
            if not (data := self._read(self._printed)):
                break
            self.output.write(data)
        self.output = output

    def close(self) -> None:
        """Kill the worker, take what it had still printed, and close the descriptors."""
        if not self._is_closed:
            self._is_closed = True
            super().close()
            self.print_to(self.output)
            for descriptor in self._ours:
                os.close(descriptor)
