"""The trusted side's end of a zygote: starts it, and requests workers."""

from __future__ import annotations

import contextlib
import pickle
import socket
import subprocess
from typing import TYPE_CHECKING, Any

from grader.errors import ZygoteDied
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.workers.clean_process import start_clean_process
from grader.sandbox.workers.fork_server import ASK_SECONDS
from grader.sandbox.workers.waiting import ENDING_SECONDS, WORKER_START_SECONDS, TimeAccount

if TYPE_CHECKING:
    from grader.sandbox.workers.worker_process import WorkerProcess


class ZygoteProcess:
    """Starts a zygote, which locks its workers in as `plan` says, and asks it for workers.

    Attributes:
        limits: of its workers.
        baselines: what yardsticks used, see remote_target.py.
        running: the function that a worker runs now, or the file.
    """

    def __init__(self, plan: Plan, waiting: socket.socket | None = None) -> None:
        """`waiting` is a socket that a nursery gave; else the zygote is a new process."""
        self.limits = plan.limits
        self._process: subprocess.Popen[bytes] | None = None
        if waiting is None:
            self._process, waiting = start_clean_process("zygote", "main")
        self._socket = waiting
        sent = pickle.dumps(plan)
        with contextlib.suppress(OSError):  # it has ended: the first request for a worker raises ZygoteDied
            self._socket.sendall(len(sent).to_bytes(4, "big") + sent)
        self.baselines: dict[object, Any] = {}
        self.running = ""

    def wait_until_ready(self) -> None:
        """Blocks until torch is loaded there (over a second). Raises ZygoteDied."""
        self.processor_seconds()

    def worker(self) -> WorkerProcess:
        """A fresh fork. Raises ZygoteDied."""
        from grader.sandbox.workers.worker_process import WorkerProcess  # with torch, which may load here meanwhile

        return WorkerProcess(self._socket, self.account, self.limits.output_bytes)

    def account(self, seconds: float) -> TimeAccount:
        """Seconds that workers may use."""
        return TimeAccount(seconds, self.processor_seconds)

    def processor_seconds(self) -> float:
        """What all workers have used so far, as the zygote reads it; nan where it cannot. Raises ZygoteDied."""
        self._socket.settimeout(WORKER_START_SECONDS)
        try:
            self._socket.sendall(ASK_SECONDS)
            return float(self._socket.recv(64))
        except (OSError, ValueError) as error:
            raise ZygoteDied(f"no answer from the zygote: {error}") from error

    def close(self) -> None:
        self._socket.close()
        if self._process is not None:
            try:
                self._process.wait(ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
