"""The trusted side's end of a zygote: starts it, requests workers, and reads how they ended."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import socket
import subprocess
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from grader.errors import ZygoteDied
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.usage import Usage
from grader.sandbox.workers.clean_process import start_clean_process, wait_or_kill
from grader.sandbox.workers.endings import WORKER_START_SECONDS
from grader.sandbox.workers.work_clock import TimeAccount

if TYPE_CHECKING:
    from grader.sandbox.workers.worker_process import WorkerProcess

PIPE_BYTES = 1 << 20


class ZygoteProcess:
    """Starts a zygote, which locks its workers in as `plan` says, and asks it for workers."""

    def __init__(self, plan: Plan, waiting: socket.socket | None = None) -> None:
        """`waiting` is a socket that a nursery gave; else the zygote is a new process."""
        self.limits = plan.limits
        options = plan.to_json()
        self._process: subprocess.Popen[bytes] | None = None
        if waiting is None:
            self._process, self._socket = start_clean_process("zygote", "main", options)
        else:
            self._socket = waiting
            with contextlib.suppress(OSError):  # it has ended: the first request for a worker raises ZygoteDied
                self._socket.sendall(options.encode() + b"\n")
        self._lines = bytearray()
        self._numbers, self._ended = itertools.count(), dict[int, int]()
        self._used: dict[int, Usage] = {}  # by workers that have ended
        self.baselines: dict[object, Any] = {}  # what yardsticks used, see remote_target.py
        self._ready = False
        self.running = ""  # the function that a worker runs now, or the file; "" where there are several

    def wait_until_ready(self) -> None:
        """Blocks until torch is loaded there (over a second); called on first use. Raises ZygoteDied."""
        if not self._ready:
            self._read_until(lambda message: "ready" in message, WORKER_START_SECONDS)
            self._ready = True

    def worker(self) -> WorkerProcess:
        """A fresh fork. Raises ZygoteDied."""
        from grader.sandbox.workers.worker_process import (
            WorkerProcess,  # torch comes with it, and may load here meanwhile
        )

        self.wait_until_ready()
        number = next(self._numbers)
        requests_read, requests_write = os.pipe()
        answers_read, answers_write = os.pipe()
        output_read, output_write = os.pipe()
        enlarge(requests_write)
        enlarge(answers_read)
        try:
            theirs = [requests_read, answers_write, output_write]
            socket.send_fds(self._socket, [json.dumps({"fork": number}).encode() + b"\n"], theirs)
        except OSError as error:
            raise ZygoteDied(str(error)) from error
        finally:
            for descriptor in (requests_read, answers_write, output_write):
                os.close(descriptor)
        self._read_until(lambda message: message.get("started") == number, WORKER_START_SECONDS)
        return WorkerProcess(self, number, requests_write, answers_read, output_read)

    def end_of(self, number: int) -> int:
        """Kills worker `number` and gives its exit status (negative: the signal)."""
        self._kill(number)
        del self._used[number]
        return self._ended.pop(number)

    def end_and_measure(self, number: int) -> Usage:
        """Kills worker `number` and returns what it used in all, by the kernel's account. Raises ZygoteDied."""
        self._kill(number)
        return self._used[number]

    def _kill(self, number: int) -> None:
        """Kills worker `number`, and waits until the zygote says that it has ended."""
        if number not in self._ended:
            try:
                self._socket.sendall(json.dumps({"kill": number}).encode() + b"\n")
            except OSError as error:
                raise ZygoteDied(str(error)) from error
            self._read_until(lambda message: message.get("exit") == number, WORKER_START_SECONDS)

    def status_if_ended(self, number: int, seconds: float) -> int | None:
        """The exit status of a worker that is about to end by itself, if it does within `seconds`."""
        account = self.account(seconds)
        while number not in self._ended and not account.is_used_up:
            started = time.monotonic()
            with contextlib.suppress(ZygoteDied):
                self._read_until(lambda message: message.get("exit") == number, account.seconds_to_wait)
            account.passes(time.monotonic() - started)
        return self._ended.get(number)

    def account(self, seconds: float) -> TimeAccount:
        """Seconds that workers may use."""
        return TimeAccount(seconds, self.processor_seconds)

    def processor_seconds(self) -> float | None:
        """What all workers have used so far, as the zygote reads it; None where it cannot."""
        try:
            self._socket.sendall(b'{"processor": true}\n')
            message = self._read_until(lambda message: "processor" in message, WORKER_START_SECONDS)
        except (OSError, ZygoteDied):  # the next request says so
            return None
        seconds: float | None = message["processor"]
        return seconds

    def _read_until(self, matches: Callable[[dict[str, Any]], bool], seconds: float) -> dict[str, Any]:
        """The next message of which `matches(message)` holds. Raises ZygoteDied when none comes in time."""
        for number in self._ended:
            if matches({"exit": number}):
                return {"exit": number}
        end = time.monotonic() + seconds
        while True:
            while b"\n" in self._lines:
                line, _, rest = bytes(self._lines).partition(b"\n")
                self._lines[:] = rest
                message: dict[str, Any] = json.loads(line)
                if "exit" in message:
                    self._ended[message["exit"]] = message["status"]
                    self._used[message["exit"]] = Usage(*message["used"])
                if matches(message):
                    return message
            self._socket.settimeout(max(0.001, end - time.monotonic()))
            try:
                data = self._socket.recv(65536)
            except OSError as error:
                raise ZygoteDied(f"no answer from the zygote: {error}") from error
            if not data:
                raise ZygoteDied("the zygote ended")
            self._lines += data

    def close(self) -> None:
        self._socket.close()
        if self._process is not None:
            wait_or_kill(self._process)


def enlarge(pipe: int) -> None:
    """Make room for a whole batch of requests and answers: a process that finds a pipe full has to wait."""
    with contextlib.suppress(OSError, AttributeError):  # a limit of the system's, or a system without
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
