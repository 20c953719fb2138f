"""The worker in which a student's file is loaded: started when it is needed, and again after it has ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from grader.calling.answer import Answer
from grader.calling.joint import Joint
from grader.calling.protocol import Called
from grader.sandbox.isolation.usage import Usage
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.endings import WORKER_FAILURES, DeadlineMissed
from grader.sandbox.workers.messages import FileLoaded, Load
from grader.sandbox.workers.printed import Output
from grader.sandbox.workers.work_clock import TimeAccount
from grader.sandbox.workers.worker_process import WorkerProcess


@dataclass(frozen=True)
class StudentFile:
    """`files` is {file name: bytes}, `main` the graded one, `steps` its functions that return gradients.

    With `joint`, that function returns all gradients. `not_allowed` are parts of PyTorch that are removed in the
    worker, see library_off.py.
    """

    files: Mapping[str, bytes]
    main: str
    steps: Sequence[str] = ()
    joint: Joint | None = None
    not_allowed: Sequence[str] = ()


class MeasuredCall(NamedTuple):
    """`used` is what the worker used from before its file was loaded until it was ended; None without a value."""

    called: Called
    used: Usage | None


class FileWorker:
    """A worker with `file` in it, its graded one already run.

    Attributes:
        interrupt: a descriptor: once it is readable, a wait for a worker raises Interrupted.
        process: the present worker; None before the first one is started and after one was discarded.
        functions: the names of the file's functions, once it was loaded.
        plain_functions: those of them that need no observation, see calling/observing.py.
        note: why statements outside the functions were left out, if any were.
        load_failure: why no worker can be had, if so. It is then the answer of every step.
        output: what workers that have ended printed.
        switched_on: a worker reported that PyTorch differentiates again.
    """

    def __init__(
        self,
        zygote: ZygoteProcess,
        file: StudentFile,
        time: TimeAccount,
        interrupt: int | None = None,
    ) -> None:
        self._zygote, self.limits = zygote, zygote.limits
        self.file, self.interrupt = file, interrupt
        self._time = time
        self.process: WorkerProcess | None = None
        self._printed_by_loading = 0  # bytes
        self._is_loading = False
        self.functions: tuple[str, ...] = ()
        self.plain_functions: frozenset[str] = frozenset()
        self.note = ""
        self.load_failure: Answer | None = None
        self.output = Output(zygote.limits.output_bytes)
        self.switched_on = False

    def start(self, memory: bool = False) -> WorkerProcess | None:
        """The present worker, or a new one; None where there is a load failure. For `memory` see Load.

        Raises ZygoteDied and Interrupted.
        """
        self.begin(memory)
        if self._is_loading and self.process is not None:
            self._is_loading = False
            try:
                with self._time.waiting():
                    reply = self.process.take_loaded()
            except WORKER_FAILURES as error:
                self._fail(self._failure_of(error))
            else:
                self._take_reply(self.process, reply)
        return self.process

    def begin(self, memory: bool = False) -> None:
        """Have the file run in a new worker, unless there is a worker or a load failure; `start` waits for it.

        Raises ZygoteDied and Interrupted.
        """
        if self.process is not None or self.load_failure is not None:
            return
        if self._time.is_used_up:
            message = (
                f"It was not run: earlier steps used up the {self.limits.total_seconds:g} seconds of this submission."
            )
            self.load_failure = Answer("timeout", message=message)
            return
        worker = self.process = self._zygote.worker()
        self._zygote.running = self.file.main
        if self.interrupt is not None:
            worker.set_interrupt_fd(self.interrupt)
        try:
            with self._time.waiting():
                worker.begin_load(Load(self.file.files, self.file.main, self.file.not_allowed, memory))
            self._is_loading = True
        except WORKER_FAILURES as error:
            self._fail(self._failure_of(error))

    def _take_reply(self, worker: WorkerProcess, loaded: FileLoaded) -> None:
        if loaded.failure is not None:
            self._fail(loaded.failure)
            return
        self.functions, self.note, self.plain_functions = loaded.functions, loaded.note, loaded.plain
        self._printed_by_loading = worker.output.total
        self._zygote.running = ""

    def _failure_of(self, error: Exception) -> Answer:
        """The answer of a file whose worker missed the deadline or ended while the file was being run."""
        if not isinstance(error, DeadlineMissed):
            return Answer("crashed", message=f"While the file was being run: {error}")
        message = (
            f"The file itself did not finish running within {self.limits.import_seconds:g} seconds: "
            "is there a loop outside the functions?"
        )
        return Answer("timeout", message=message)

    def _fail(self, failure: Answer) -> None:
        self.load_failure = failure
        self.discard()

    def set_running(self, due: Sequence[str], together: bool) -> None:
        """Note for `zygote.running` which function runs: the first that is due, where they do not run `together`."""
        self._zygote.running = due[0] if due and not (together and len(due) > 1) else ""

    def discard(self) -> None:
        """End the present worker, if there is one, and keep what it printed."""
        self._is_loading = False
        if self.process is not None:
            self.process.close()
            self._keep(self.process, 0, self.process.output.total)
            self.process = None

    def discard_last_request(self) -> None:
        """End the worker as if its last request had never been made: what that printed is dropped.

        Nor is anything kept of what the file prints while it is loaded: the next worker loads it again.
        """
        if self.process is not None:
            before = self.process.printed_before
            self.process.close()
            self._keep(self.process, self._printed_by_loading, before)
            self.process = None

    @contextmanager
    def in_own_worker(self) -> Iterator[None]:
        """Inside, `start` starts a worker of its own. The present worker is kept for what comes after."""
        kept = self.process, self._printed_by_loading, self._is_loading
        self.process, self._is_loading = None, False
        try:
            yield
        finally:
            if self.process is not None:
                self.process.close()
            self.process, self._printed_by_loading, self._is_loading = kept

    def end_and_measure(self) -> Usage | None:
        """End the present worker; what it used, by the kernel's account. None where there is no worker."""
        if self.process is None:
            return None
        used = self.process.end_and_measure()
        self._keep(self.process, self._printed_by_loading, self.process.output.total)
        return used

    def _keep(self, worker: WorkerProcess, first: int, last: int) -> None:
        self.switched_on |= worker.switched_on
        self.output.append(worker.output, first, last)
