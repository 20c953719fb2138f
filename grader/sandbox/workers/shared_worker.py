"""A worker for one file after another: for the chains of files whose functions are pure and whose rows are all known.

To fork, lock in and end a worker takes ten times as long as a chain. Every other request has a worker of its own. A
pure function (grader/sandbox/policy/pure_functions.py) changes nothing outside its call, so it does not matter which
files were in the worker before: memory that a file has kept in a list that contains itself is freed before the next
file is loaded. If that reading had a hole, a file could change the `chain` of another one, which earns
no points; the rows are known by then, and what a worker knows is in every student's worker.
"""

from __future__ import annotations

from contextlib import suppress

from grader.errors import ZygoteDied
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.worker_process import WorkerProcess

MAX_FILES_PER_PROCESS = 50
"""Files in one process; after that there is a new one."""


class SharedWorker:
    """A worker of `zygote` that waits between two files.

    Attributes:
        sent: the keys of the problems that it has.
    """

    def __init__(self, zygote: ZygoteProcess) -> None:
        self._zygote = zygote
        self._waiting: WorkerProcess | None = None
        self._files = 0
        self.sent: set[int] = set()

    def take(self) -> WorkerProcess:
        """The worker, which is the caller's until `give_back`, or a new one. Raises ZygoteDied."""
        worker, self._waiting = self._waiting, None
        if worker is None:
            worker, self._files = self._zygote.worker(), 0
            self.sent = set(worker.ahead)
        self._files += 1
        return worker

    def give_back(self, worker: WorkerProcess) -> bool:
        """Keep a worker that has answered everything; False where it has printed or done something unusual."""
        if worker.output.total or worker.output.spans or worker.switched_on:
            return False
        self._waiting = worker
        if self._files >= MAX_FILES_PER_PROCESS:
            self.close()
        return True

    def close(self) -> None:
        """End the worker, if one waits."""
        worker, self._waiting = self._waiting, None
        if worker is not None:
            with suppress(ZygoteDied):  # and the worker with it
                worker.close()
