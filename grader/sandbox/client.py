"""The trusted side of the zygote and its workers: deadlines, caps on what is read, and nothing believed unchecked."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from grader.answer import Answer
from grader.sandbox import wire
from grader.sandbox.lockdown import Plan

ROOT = Path(__file__).resolve().parents[2]
# run with -s -P and an environment of its own: neither a user's site-packages nor the current folder can be imported
BOOTSTRAP = """
import sys
sys.path.append(sys.argv[1])
import grader.sandbox.zygote
grader.sandbox.zygote.main(int(sys.argv[2]), sys.argv[3])
"""
START_SECONDS = 120.0

# A gradient is as large as its value. An answer may be somewhat larger, so that a wrong shape can be named; all answers
# to all problems are kept for the verdict, so not at will.
ROOM, LEAST_ROOM = 4, 1 << 20


class ZygoteDied(Exception):
    """The zygote is gone, or cannot lock workers in: a reason of ours, never the student's."""


class WorkerLost(Exception):
    """The worker ended, or said something that cannot be read. The text is a sentence for the student."""


class DeadlineMissed(Exception):
    """The worker did not answer in time."""


class ZygoteProcess:
    """Starts a zygote, which locks its workers in as `plan` says, and asks it for workers."""

    def __init__(self, plan: Plan) -> None:
        self.limits = plan.limits
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        environment = {
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": "/nonexistent",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",  # the order of a set in a student's message is the same in every run
            # a fork of a process with a thread pool hangs: one thread everywhere
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "MALLOC_ARENA_MAX": "2",
        }
        options = json.dumps(plan.to_dict())
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-c", BOOTSTRAP, str(ROOT), str(theirs.fileno()), options],
            env=environment,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )
        theirs.close()
        self._socket, self._lines = ours, bytearray()
        self._numbers, self._ended = itertools.count(), dict[int, int]()
        self._ready = False

    def wait_until_ready(self) -> None:
        """Blocks until torch is loaded there (over a second); called on first use. Raises ZygoteDied."""
        if not self._ready:
            self._read_until(lambda message: "ready" in message, START_SECONDS)
            self._ready = True

    def worker(self) -> WorkerProcess:
        """A fresh fork. Raises ZygoteDied."""
        self.wait_until_ready()
        number = next(self._numbers)
        requests_read, requests_write = os.pipe()
        answers_read, answers_write = os.pipe()
        output_read, output_write = os.pipe()
        try:
            theirs = [requests_read, answers_write, output_write]
            socket.send_fds(self._socket, [json.dumps({"fork": number}).encode() + b"\n"], theirs)
        except OSError as error:
            raise ZygoteDied(str(error)) from error
        finally:
            for descriptor in (requests_read, answers_write, output_write):
                os.close(descriptor)
        self._read_until(lambda message: message.get("started") == number, START_SECONDS)
        return WorkerProcess(self, number, requests_write, answers_read, output_read)

    def end_of(self, number: int) -> int:
        """Kills worker `number` and gives its exit status (negative: the signal)."""
        if number not in self._ended:
            try:
                self._socket.sendall(json.dumps({"kill": number}).encode() + b"\n")
            except OSError as error:
                raise ZygoteDied(str(error)) from error
            self._read_until(lambda message: message.get("exit") == number, 10.0)
        return self._ended.pop(number)

    def status_if_ended(self, number: int, seconds: float) -> int | None:
        """The exit status of a worker that is about to end by itself, if it does within `seconds`."""
        with contextlib.suppress(ZygoteDied):
            self._read_until(lambda message: message.get("exit") == number, seconds)
        return self._ended.get(number)

    def _read_until(self, wanted: Any, seconds: float) -> None:
        """Takes messages until `wanted(message)`. Raises ZygoteDied when none comes in time."""
        if any(wanted({"exit": number}) for number in self._ended):
            return
        end = time.monotonic() + seconds
        while True:
            while b"\n" in self._lines:
                line, _, rest = bytes(self._lines).partition(b"\n")
                self._lines[:] = rest
                message = json.loads(line)
                if "exit" in message:
                    self._ended[message["exit"]] = message["status"]
                if wanted(message):
                    return
            self._socket.settimeout(max(0.001, end - time.monotonic()))
            try:
                data = self._socket.recv(65536)
            except (TimeoutError, OSError) as error:
                raise ZygoteDied(f"no answer from the zygote: {error}") from error
            if not data:
                raise ZygoteDied("the zygote ended")
            self._lines += data

    def close(self) -> None:
        self._socket.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class WorkerProcess:
    """One worker, spoken to over pipes. Every method that waits has a deadline."""

    def __init__(self, zygote: ZygoteProcess, number: int, requests: int, answers: int, output: int) -> None:
        self._zygote, self._number, self._limits = zygote, number, zygote.limits
        self._requests, self._answers, self._output = requests, answers, output
        self._reader, self._tickets = wire.Reader(), itertools.count()
        self._known: dict[int, frozenset[str]] = {}  # problem -> names that a step may ask for
        self._room: dict[int, int] = {}  # problem -> bytes of an answer that are still taken
        self.printed, self.printed_bytes = bytearray(), 0
        self._selector = selectors.DefaultSelector()
        for descriptor in (answers, output):
            self._selector.register(descriptor, selectors.EVENT_READ)
        for descriptor in (requests, answers, output):
            os.set_blocking(descriptor, False)
        self._open, self._locked_in = True, False

    def load(self, files: Mapping[str, bytes], main: str) -> dict[str, Any]:
        """Runs the submission's file. The reply: op "loaded" with function names, or "failed" with message and line.

        Raises WorkerLost or DeadlineMissed.
        """
        self.wait_until_locked_in()
        entries = [{"name": name, "size": len(source)} for name, source in files.items()]
        deadline = time.monotonic() + self._limits.import_seconds
        self._send({"op": "load", "files": entries, "main": main}, b"".join(files.values()), deadline)
        header = self._receive(deadline).header
        if header.get("op") == "loaded":
            note = wire.field(header, "note", str)[: wire.MAX_TEXT]
            return {"op": "loaded", "functions": wire.names_in(header, "functions"), "note": note}
        line = header.get("line")
        return {
            "op": "failed",
            "outcome": "forbidden" if header.get("outcome") == "forbidden" else "raised",
            "message": wire.field(header, "message", str)[: wire.MAX_TEXT],
            "line": line if type(line) is int and 0 < line < 1 << 31 else None,
        }

    def wait_until_locked_in(self) -> None:
        """Takes the worker's first frame, sent before it knows a line of the student's. Raises ZygoteDied.

        Called on first use. Only what comes before the student's file can be believed.
        """
        if self._locked_in:
            return
        try:
            header = self._receive(time.monotonic() + START_SECONDS).header
        except (WorkerLost, DeadlineMissed) as error:
            raise ZygoteDied(f"a worker ended before it was locked in: {error}") from error
        if header.get("op") != "locked in":
            raise ZygoteDied(f"a worker could not be locked in: {header.get('message')}")
        self._locked_in = True

    def send_problem(
        self, number: int, dtype: torch.dtype, values: Mapping[str, Any], upstream: Mapping[str, Tensor]
    ) -> None:
        tensors = [("v:" + n, v) for n, v in values.items() if isinstance(v, Tensor)]
        tensors += [("u:" + n, u) for n, u in upstream.items()]
        described, body = wire.pack_tensors(tensors)
        largest = max((tensor.nbytes for _, tensor in tensors), default=0)
        self._room[number] = min(wire.MAX_BODY, max(LEAST_ROOM, ROOM * largest))
        self._known[number] = frozenset(values) | {"d" + name for name in upstream}
        header = {
            "op": "problem",
            "problem": number,
            "dtype": wire.NAMES[dtype],
            "tensors": described,
            "plain": {n: v for n, v in values.items() if not isinstance(v, Tensor)},
            "values": [n for n, v in values.items() if isinstance(v, Tensor)],
            "upstream": list(upstream),
        }
        self._send(header, body, time.monotonic() + self._limits.step_seconds)

    def run(
        self,
        problem: int,
        steps: Sequence[str],
        needs: Mapping[str, Collection[str]] | None = None,
        until: float = math.inf,
    ) -> Iterator[tuple[str, Answer]]:
        """(step, answer) as they arrive, each within the deadline of a step, all before `until` (of time.monotonic()).

        With `needs`, the student's own chain is run: a step is skipped when one of the steps it needs gave no tensor.

        Raises WorkerLost or DeadlineMissed; the step at fault is the one that is due.
        """
        ticket = next(self._tickets)
        header = {
            "op": "run",
            "problem": problem,
            "steps": list(steps),
            "own": needs is not None,
            "needs": {step: sorted(names) for step, names in (needs or {}).items()},
            "ticket": ticket,
            "room": self._room[problem],
        }
        self._reader.max_body = self._room[problem]
        self._send(header, b"", min(until, time.monotonic() + self._limits.step_seconds))
        for step in steps:
            frame = self._receive(min(until, time.monotonic() + self._limits.step_seconds))
            try:
                answer = wire.decode_answer(frame, step, ticket, self._known[problem], self._room[problem])
            except wire.WireError as error:
                raise WorkerLost(f"Its answer could not be read ({error}).") from error
            yield step, answer

    def _send(self, header: dict[str, Any], body: bytes, deadline: float) -> None:
        view = memoryview(wire.encode(wire.Frame(header, body)))
        self._selector.register(self._requests, selectors.EVENT_WRITE)
        try:
            while view:
                for descriptor in self._wait(deadline):
                    if descriptor == self._requests:
                        try:
                            view = view[os.write(self._requests, view) :]
                        except BlockingIOError:
                            pass
                        except BrokenPipeError:
                            raise WorkerLost(self._how_it_ended()) from None
        finally:
            self._selector.unregister(self._requests)

    def _receive(self, deadline: float) -> wire.Frame:
        while True:
            try:
                frame = self._reader.next()
                if frame is not None:
                    return frame
                if self._answers in self._wait(deadline):
                    data = self._read(self._answers)
                    if data == b"":
                        raise WorkerLost(self._how_it_ended())
                    self._reader.feed(data or b"")
            except wire.WireError as error:
                raise WorkerLost(f"Its answer could not be read ({error}).") from error

    def _wait(self, deadline: float) -> list[int]:
        """Descriptors that are ready; printed output is taken on the way. Raises DeadlineMissed."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise DeadlineMissed
        ready = [key.fd for key, _ in self._selector.select(left)]
        if self._output in ready:
            self._take_output()
            if time.monotonic() > deadline:
                raise DeadlineMissed
        return ready

    def _take_output(self) -> None:
        data = self._read(self._output)
        if data == b"":
            self._selector.unregister(self._output)
        elif data:
            self.printed_bytes += len(data)
            self.printed += data[: max(0, self._limits.output_bytes - len(self.printed))]

    def _read(self, descriptor: int) -> bytes | None:
        try:
            return os.read(descriptor, 1 << 16)
        except BlockingIOError:
            return None

    def _how_it_ended(self) -> str:
        status = self._zygote.status_if_ended(self._number, 1.0)
        if status is None:
            return "It closed the pipe on which its answers are awaited."
        if status < 0:
            name = signal.Signals(-status).name if -status in signal.Signals._value2member_map_ else f"signal {-status}"
            cause = {
                "SIGSEGV": " (a crash in compiled code)",
                "SIGXCPU": " (processor time used up)",
                "SIGKILL": " (killed: memory or time used up)",
            }
            return f"Its process was ended by {name}{cause.get(name, '')}."
        return f"Its process ended by itself (exit status {status}) before it had answered."

    def close(self) -> None:
        """Kills the worker and takes what it had still printed."""
        if not self._open:
            return
        self._open = False
        try:
            self._zygote.end_of(self._number)
            end = time.monotonic() + 0.2
            while self._output in self._selector.get_map() and time.monotonic() < end:
                data = self._read(self._output)
                if not data:
                    break
                self.printed_bytes += len(data)
                self.printed += data[: max(0, self._limits.output_bytes - len(self.printed))]
        finally:
            self._selector.close()
            for descriptor in (self._requests, self._answers, self._output):
                os.close(descriptor)
