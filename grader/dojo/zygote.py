"""A zygote for a single student. Nothing here imports torch, so that it loads in both processes at the same time."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from grader.errors import ZygoteDied
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import Isolation, probe
from grader.sandbox.workers.client import ZygoteProcess

if TYPE_CHECKING:
    from grader.sandbox.workers.worker_process import WorkerProcess


class EagerZygote(ZygoteProcess):
    """Forks and locks in the next workers before they are needed, with all the `isolation` that the machine offers."""

    def __init__(self, limits: Limits | None = None, imports: Sequence[str] = ()) -> None:
        self._chosen_limits, self._imports = limits or Limits(), tuple(imports)
        self._kept_ready = 1  # after the first check two: a wrong file's edited copies run in a worker of their own
        self._start(probe())

    def _start(self, isolation: Isolation) -> None:
        self.isolation = isolation
        self._spare: list[WorkerProcess] = []
        super().__init__(Plan(isolation.layers, self._chosen_limits, self._imports, rehearses=True))

    def restart(self) -> None:
        """Starts anew, without isolation where workers cannot be locked in: the code is the student's own."""
        for isolation in (self.isolation, Isolation("none", (), ("Workers could not be locked in.",))):
            with contextlib.suppress(ZygoteDied):
                self.close()
            self._start(isolation)
            with contextlib.suppress(ZygoteDied):
                self.prepare()
                return

    def prepare(self) -> None:
        """Forks the next workers before the student saves."""
        while len(self._spare) < self._kept_ready:
            worker = super().worker()
            worker.wait_until_locked_in()
            self._spare.append(worker)

    def worker(self) -> WorkerProcess:
        self._kept_ready = 2
        return self._spare.pop(0) if self._spare else super().worker()

    def close(self) -> None:
        for worker in self._spare:
            worker.close()
        super().close()
