"""The worker in which a student's file is loaded, and the requests in which steps are sent to it.

Steps run in batches while that works, then one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from grader.calling.answer import Answer
from grader.calling.joint import Joint
from grader.calling.numerical_watch import Seen
from grader.calling.protocol import Called, CallRequest
from grader.reference.problem import Problem
from grader.sandbox.isolation.usage import Usage
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.endings import WORKER_FAILURES, DeadlineMissed
from grader.sandbox.workers.messages import Load, PackedProblem, Run
from grader.sandbox.workers.printed import Output
from grader.sandbox.workers.sending import pack_once
from grader.sandbox.workers.work_clock import TimeAccount
from grader.sandbox.workers.worker_process import WorkerProcess

BATCH_SECONDS = 1.0
"""How long a batch of steps may take; after that they are run one by one. Two hundred steps take 20 milliseconds."""


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


class FileWorker:
    """A worker with `file` in it, its graded one already run: started when it is needed, and again after it has ended.

    A batch is one request for many steps. After the first failure all steps are run one by one, to find which of them
    failed. A step that hangs or ends its process is not run again; every other step is, in a new process.
    Every method that runs something raises ZygoteDied, and Interrupted once the interrupt descriptor is readable.

    Attributes:
        process: the present worker; None before the first one is started and after one was discarded.
        joint: the function that returns all gradients, if one does.
        given_up: {step or function: its answer}, of those that are not run again.
        functions: the names of the file's functions, once it was loaded.
        plain_functions: those of them that need no observation, see calling/observing.py.
        note: why statements outside the functions were left out, if any were.
        load_failure: why no worker can be had, if so. It is then the answer of every step.
        output: what workers that have ended printed.
        switched_on: a worker reported that PyTorch differentiates again.
    """

    def __init__(
        self, zygote: ZygoteProcess, file: StudentFile, time: TimeAccount, interrupt: int | None = None
    ) -> None:
        self._zygote, self._limits, self._time, self._interrupt = zygote, zygote.limits, time, interrupt
        self.file, self.joint, self.given_up = file, file.joint, dict[str, Answer]()
        self.process: WorkerProcess | None = None
        self._is_loading, self._batches_work = False, True
        self.functions: tuple[str, ...] = ()
        self.plain_functions: frozenset[str] = frozenset()
        self.note = ""
        self.load_failure: Answer | None = None
        self.output = Output(zygote.limits.output_bytes)
        self._has_printed_loading = False
        self.switched_on = False

    # The worker ------------------------------------------------------------------------------------------------------

    def start(self, memory: bool = False) -> WorkerProcess | None:
        """The present worker, or a new one; None where there is a load failure. For `memory` see Load."""
        self.begin(memory)
        if self._is_loading and self.process is not None:
            self._is_loading = False
            try:
                with self._time.waiting():
                    loaded = self.process.take_loaded()
            except WORKER_FAILURES as error:
                self._fail(self._failure_of(error))
            else:
                if loaded.failure is not None:
                    self._fail(loaded.failure)
                else:
                    self.functions, self.note, self.plain_functions = loaded.functions, loaded.note, loaded.plain
                    self._zygote.running = ""
        return self.process

    def begin(self, memory: bool = False) -> None:
        """Have the file run in a new worker, unless there is a worker or a load failure; `start` waits for it."""
        if self.process is not None or self.load_failure is not None:
            return
        if self._time.is_used_up:
            seconds = f"{self._limits.total_seconds:g} seconds"
            message = f"It was not run: earlier steps used up the {seconds} of this submission."
            self.load_failure = Answer("timeout", message=message)
            return
        worker = self.process = self._zygote.worker()
        self._zygote.running = self.file.main
        if self._interrupt is not None:
            worker.set_interrupt_fd(self._interrupt)
        try:
            with self._time.waiting():
                worker.begin_load(Load(self.file.files, self.file.main, self.file.not_allowed, memory))
            self._is_loading = True
        except WORKER_FAILURES as error:
            self._fail(self._failure_of(error))

    def _failure_of(self, error: Exception) -> Answer:
        """The answer of a file whose worker missed the deadline or ended while the file was being run."""
        if not isinstance(error, DeadlineMissed):
            return Answer("crashed", message=f"While the file was being run: {error}")
        message = (
            f"The file itself did not finish running within {self._limits.import_seconds:g} seconds: "
            "is there a loop outside the functions?"
        )
        return Answer("timeout", message=message)

    def _fail(self, failure: Answer) -> None:
        self.load_failure = failure
        self.discard()

    def discard(self, without_last_run: bool = False) -> None:
        """End the present worker, if there is one, and keep what it printed, or what it had before its last run."""
        self._is_loading = False
        if (worker := self.process) is not None:
            before = worker.printed_before if without_last_run else None
            worker.close()
            self.switched_on |= worker.switched_on
            self._keep_printed(worker.output, before)
            self.process = None

    def _keep_printed(self, output: Output, last: int | None = None) -> None:
        """What the file itself prints is kept of its first worker alone."""
        self.output.append(output, last, loading=not self._has_printed_loading)
        self._has_printed_loading = True

    def printed(self) -> Output:
        """What all workers have printed so far, the present one included."""
        whole = Output(self._limits.output_bytes)
        whole.append(self.output)
        if self.process is not None:
            whole.append(self.process.output, loading=not self._has_printed_loading)
        return whole

    def call_in_its_own(self, name: str, args: Sequence[object], memory: bool) -> tuple[Called, Usage | None]:
        """One call in a worker that is ended afterwards, and what that worker used; None without a value."""
        other = FileWorker(self._zygote, self.file, self._time, self._interrupt)
        other.given_up, other._has_printed_loading = self.given_up, True
        try:
            if name not in self.given_up:
                other.start(memory)
            called = other.call(name, CallRequest(name, args))
            used = other.process.end_and_measure() if other.process is not None else None
        finally:
            other.discard()
        self.switched_on |= other.switched_on
        self.output.append(other.output)
        return called, None if called.failed is not None else used

    # Calls -----------------------------------------------------------------------------------------------------------

    def call(self, of: str, request: CallRequest) -> Called:
        """One call; `of` is the function or class that it is about. Without a value it is a `Called` that failed.

        A function that hangs or ends its process is not called again.
        """
        if of in self.given_up:
            return Called(failed=self.given_up[of])
        if (worker := self.start()) is None:
            return Called(failed=self.load_failure or Answer("crashed"))
        self._zygote.running = of
        try:
            with self._time.waiting():
                called = worker.call(request, self._time.end)
        except WORKER_FAILURES as error:
            called = Called(failed=self._answer_for(error))
        if called.failed is not None and called.failed.outcome in ("timeout", "crashed", "forbidden"):
            self.discard()
            self.given_up[of] = called.failed
        return called

    def observe(self, request: Run | CallRequest, packed: PackedProblem | None = None) -> dict[str, Seen] | None:
        """{step or function: what was seen} while it ran again, outside the verdict; None where it gave no answer."""
        if (worker := self.start()) is None:
            return None
        try:
            with self._time.waiting():
                return worker.observe(request, self._time.end, packed)
        except WORKER_FAILURES:
            self.discard()
            return None

    def _answer_for(self, error: Exception) -> Answer:
        """The answer of a step or a function whose worker ended or missed the deadline."""
        if not isinstance(error, DeadlineMissed):
            return Answer("crashed", message=str(error))
        message = f"It did not return within {self._limits.step_seconds:g} seconds."
        if self._time.is_used_up:
            seconds = f"{self._limits.total_seconds:g} seconds"
            message = f"It had not returned when the {seconds} of this submission were used up."
        return Answer("timeout", message=message)

    # Steps -----------------------------------------------------------------------------------------------------------

    def discloses(self, problem: Problem) -> bool:
        """Whether steps are fed true upstream gradients: the references of the rows above."""
        return not problem.random_upstream and self.joint is None

    def is_hidden(self, problem: Problem) -> bool:
        """Whether it is not of the published problem's kind: in float64, and without true upstream gradients."""
        return problem.dtype is torch.float64 and not self.discloses(problem)

    def packed(self, problem: Problem) -> PackedProblem:
        """The problem as it is sent: a joint function needs no upstream gradients."""
        return pack_once(problem, problem.upstream if self.joint is not None else ())

    def run(
        self, problems: Iterable[Problem], steps: Sequence[str], traced: bool = False
    ) -> dict[Problem, dict[str, Answer]]:
        """{problem: {step: answer}} for `steps` on each problem, with their operators counted if they are `traced`."""
        found: dict[Problem, dict[str, Answer]] = {problem: {} for problem in problems}
        while self.start() is not None:
            due = {p: [s for s in steps if s not in found[p] and s not in self.given_up] for p in found}
            due = {problem: missing for problem, missing in due.items() if missing}
            if not due:
                break
            seconds = self._batch_seconds(sum(map(len, due.values())))
            chosen = list(due) if seconds is not None else list(due)[:1]
            answered = {problem: dict[str, Answer]() for problem in chosen} if seconds is not None else found
            runs = []
            for problem in chosen:
                packed = self.packed(problem)
                runs.append((packed, Run(due[problem], packed.room, joint=self.joint, traced=traced)))
            try:
                for number, step, answer in self._answers(runs, seconds):
                    answered[chosen[number]][step] = answer
            except WORKER_FAILURES as error:
                if seconds is not None:
                    self._stop_batches()
                    continue
                # the first step that is due is at fault; a joint function is at fault for all of them
                unanswered = [step for step in due[chosen[0]] if step not in found[chosen[0]]]
                self.given_up |= dict.fromkeys(unanswered if self.joint else unanswered[:1], self._answer_for(error))
                self.discard()
            else:
                for problem in chosen:
                    found[problem] |= answered[problem]
        other = self.load_failure or Answer("crashed")
        return {p: {step: found[p].get(step) or self.given_up.get(step, other) for step in steps} for p in found}

    def run_chain(self, problem: Problem, above: Mapping[str, Collection[str]]) -> dict[str, Answer]:
        """{step: answer}, each step fed the student's own upstream gradients. `above` are the steps above each step."""
        every, results = self.file.steps, dict[str, Answer]()
        steps = [s for s in every if s not in self.given_up and self.given_up.keys().isdisjoint(above[s])]
        # upstream gradients are sent only where no step of the student's returns them
        packed = pack_once(problem, problem.upstream if self.joint is not None else [step[1:] for step in every])
        own = {step: sorted(above[step]) for step in steps}
        request = packed, Run(steps, packed.room, own, self.joint)
        while steps and self.start() is not None:
            seconds = self._batch_seconds(len(steps))
            try:
                for _, step, answer in self._answers([request], seconds):
                    results[step] = answer
                break
            except WORKER_FAILURES:
                if seconds is None:
                    self.discard()
                    break
                self._stop_batches()
        return {step: results.get(step, Answer("skipped")) for step in every}

    def _answers(
        self, runs: Sequence[tuple[PackedProblem, Run]], batch_seconds: float | None
    ) -> Iterator[tuple[int, str, Answer]]:
        """(number of the run, step, answer) from the present worker. Raises WorkerLost and DeadlineMissed."""
        assert self.process is not None
        due = [self.joint.name] if self.joint else [step for _, run in runs for step in run.steps]
        self._set_running(due, together=batch_seconds is not None)
        with self._time.waiting():
            for number, step, answer in self.process.run(runs, self._time.end, batch_seconds):
                is_chain = runs[number][1].above is not None
                if answer.outcome in ("forbidden", "timeout") and not is_chain:  # it is not run again
                    self.given_up[step] = answer
                if not self.joint:
                    del due[0]
                    self._set_running(due, together=batch_seconds is not None)
                yield number, step, answer

    def _set_running(self, due: Sequence[str], together: bool) -> None:
        """Note for `zygote.running` which function runs: the first that is due, where they do not run `together`."""
        self._zygote.running = due[0] if due and not (together and len(due) > 1) else ""

    def _batch_seconds(self, steps: int) -> float | None:
        """Seconds in which each of so many steps should be answered, or None where they are run one by one."""
        return BATCH_SECONDS if self._batches_work and steps > 1 and self.joint is None else None

    def _stop_batches(self) -> None:
        """One of several steps failed. A new worker will show which, as if nothing had been run."""
        self._batches_work = False
        self.discard(without_last_run=True)
