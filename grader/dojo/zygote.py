"""A zygote for a single student. Nothing here imports torch, so that it loads in both processes at the same time."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from grader.errors import ZygoteDied
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.isolation.probe import Isolation, plan_for, probe
from grader.sandbox.workers.client import ZygoteProcess

if TYPE_CHECKING:
    from grader.sandbox.workers.worker_process import WorkerProcess


class EagerZygote(ZygoteProcess):
    """Forks and locks in the next workers before they are needed."""

    _spare: WorkerProcess | None = None
    _second: WorkerProcess | None = None  # for a wrong file, whose edited copies are tried in a worker of their own
    _has_served = False

    def prepare(self) -> None:
        """Forks the next workers before the student saves."""
        if self._spare is None:
            self._spare = self._waiting()
        if self._second is None and self._has_served:  # the first verdict does not wait for it
            self._second = self._waiting()

    def worker(self) -> WorkerProcess:
        self._has_served = True
        worker = self._spare or self._second or super().worker()
        if worker is self._spare:
            self._spare = None
        elif worker is self._second:
            self._second = None
        return worker

    def _waiting(self) -> WorkerProcess:
        worker = super().worker()
        worker.wait_until_locked_in()
        return worker

    def close(self) -> None:
        for spare in (self._spare, self._second):
            if spare is not None:
                spare.close()
        super().close()


class Starter:
    """Starts zygotes with all the isolation that the machine offers."""

    def __init__(self, limits: Limits | None = None, imports: Sequence[str] = ()) -> None:
        self._limits, self._imports = Limits() if limits is None else limits, tuple(imports)
        self.isolation = probe()
        self.zygote = self._start()

    def _start(self) -> EagerZygote:
        return EagerZygote(plan_for(self.isolation, self._limits, imports=self._imports))

    def restart(self) -> None:
        """Starts a new zygote, without isolation where workers cannot be locked in: the code is the student's own."""
        with contextlib.suppress(ZygoteDied):
            self.zygote.close()
        self.zygote = self._start()
        try:
            self.zygote.prepare()
        except ZygoteDied:
            with contextlib.suppress(ZygoteDied):
                self.zygote.close()
            self.isolation = Isolation("none", (), ("Workers could not be locked in.",))
            self.zygote = self._start()
