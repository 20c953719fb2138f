"""In which requests a student's steps are sent to a worker: in batches while that works, then one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import torch

from grader.calling.answer import Answer
from grader.calling.joint import Joint
from grader.calling.numerical_watch import Seen
from grader.reference.problem import Problem
from grader.sandbox.workers.endings import WORKER_FAILURES, DeadlineMissed
from grader.sandbox.workers.file_worker import FileWorker
from grader.sandbox.workers.messages import Observe, PackedProblem, Run, joint_fields
from grader.sandbox.workers.sending import pack_once
from grader.sandbox.workers.work_clock import TimeAccount

BATCH_SECONDS = 1.0
"""How long a batch of steps may take; after that they are run one by one. Two hundred steps take 20 milliseconds."""


class StepScheduler:
    """Runs steps of the file in `file`, by one joint function if there is one.

    A batch is one request for many steps. After the first failure all steps are run one by one, to find
    which of them failed. A step that hangs or ends its process is not run again; every other step is, in a new process.

    Every method that runs something raises ZygoteDied and Interrupted.

    Attributes:
        given_up: {step or function: its answer}, of those that are not run again.
    """

    def __init__(
        self,
        file: FileWorker,
        time: TimeAccount,
        steps: Sequence[str],
        joint: Joint | None,
    ) -> None:
        self._file, self._time = file, time
        self.steps, self.joint, self.given_up = tuple(steps), joint, dict[str, Answer]()
        self._batches_work = True  # until something goes wrong

    def discloses(self, problem: Problem) -> bool:
        """Whether steps are fed true upstream gradients: the references of the rows above."""
        return not problem.random_upstream and self.joint is None

    def is_hidden(self, problem: Problem) -> bool:
        """Whether it is not of the published problem's kind: in float64, and without true upstream gradients."""
        return problem.dtype is torch.float64 and not self.discloses(problem)

    def _packed(self, problem: Problem) -> PackedProblem:
        """The problem as it is sent: a joint function needs no upstream gradients."""
        return pack_once(problem, problem.upstream if self.joint is not None else ())

    def _run(self, packed: PackedProblem, steps: Sequence[str], traced: bool = False) -> tuple[PackedProblem, Run]:
        return packed, Run(packed.number, list(steps), packed.room, joint=joint_fields(self.joint), traced=traced)

    def run(
        self, problems: Iterable[Problem], steps: Sequence[str], traced: bool = False
    ) -> dict[Problem, dict[str, Answer]]:
        """{problem: {step: answer}} for `steps` on each problem, with their operators counted if they are `traced`."""
        found: dict[Problem, dict[str, Answer]] = {problem: {} for problem in problems}
        while self._file.start() is not None:
            due = {p: [s for s in steps if s not in found[p] and s not in self.given_up] for p in found}
            due = {problem: missing for problem, missing in due.items() if missing}
            if not due:
                break
            seconds = self._batch_seconds(sum(map(len, due.values())))
            chosen = list(due) if seconds is not None else list(due)[:1]
            answered = {problem: dict[str, Answer]() for problem in chosen} if seconds is not None else found
            try:
                for number, step, answer in self._answers(
                    [self._run(self._packed(problem), due[problem], traced) for problem in chosen], seconds
                ):
                    answered[chosen[number]][step] = answer
            except WORKER_FAILURES as error:
                if seconds is not None:
                    self._stop_batches()
                    continue
                # the first step that is due is at fault; a joint function is at fault for all of them
                unanswered = [step for step in due[chosen[0]] if step not in found[chosen[0]]]
                self.given_up |= dict.fromkeys(unanswered if self.joint else unanswered[:1], self.failed(error))
                self._file.discard()
            else:
                for problem in chosen:
                    found[problem] |= answered[problem]
        other = self._file.load_failure or Answer("crashed")
        return {p: {step: found[p].get(step) or self.given_up.get(step, other) for step in steps} for p in found}

    def run_chain(self, problem: Problem, above: Mapping[str, Collection[str]]) -> dict[str, Answer]:
        """{step: answer}, each step fed the student's own upstream gradients. `above` are the steps above each step."""
        results: dict[str, Answer] = {}
        steps = tuple(s for s in self.steps if s not in self.given_up and self.given_up.keys().isdisjoint(above[s]))
        # upstream gradients are sent only where no step of the student's returns them
        packed = pack_once(problem, problem.upstream if self.joint is not None else [step[1:] for step in self.steps])
        _, run = self._run(packed, steps)
        request = packed, replace(run, above={step: sorted(above[step]) for step in steps})
        while steps and self._file.start() is not None:
            seconds = self._batch_seconds(len(steps))
            try:
                for _, step, answer in self._answers([request], seconds):
                    results[step] = answer
                break
            except WORKER_FAILURES:
                if seconds is None:
                    self._file.discard()
                    break
                self._stop_batches()
        return {step: results.get(step, Answer("skipped")) for step in self.steps}

    def _answers(
        self, runs: Sequence[tuple[PackedProblem, Run]], batch_seconds: float | None
    ) -> Iterator[tuple[int, str, Answer]]:
        """(number of the run, step, answer) from the present worker. Raises WorkerLost and DeadlineMissed."""
        worker = self._file.process
        assert worker is not None
        due = [self.joint.name] if self.joint else [step for _, run in runs for step in run.steps]
        self._file.set_running(due, together=batch_seconds is not None)
        with self._time.waiting():
            for number, step, answer in worker.run(runs, self._time.end, batch_seconds):
                is_chain = runs[number][1].above is not None
                if answer.outcome in ("forbidden", "timeout") and not is_chain:  # it is not run again
                    self.given_up[step] = answer
                if not self.joint:
                    del due[0]
                    self._file.set_running(due, together=batch_seconds is not None)
                yield number, step, answer

    def observe(self, problem: Problem, steps: Sequence[str]) -> dict[str, Seen]:
        """{step: what was seen} while `steps` were run again, outside the verdict. A failure is no observation."""
        if (worker := self._file.start()) is None:
            return {}
        try:
            packed = self._packed(problem)
            with self._time.waiting():
                return worker.observe(Observe(packed.number, steps, joint_fields(self.joint)), self._time.end, packed)
        except WORKER_FAILURES:
            self._file.discard()
            return {}

    def _batch_seconds(self, steps: int) -> float | None:
        """Seconds in which each of so many steps should be answered, or None where they are run one by one."""
        return BATCH_SECONDS if self._batches_work and steps > 1 and self.joint is None else None

    def _stop_batches(self) -> None:
        """One of several steps failed. A new worker will show which, as if nothing had been run."""
        self._batches_work = False
        self._file.discard_last_request()

    def failed(self, error: Exception) -> Answer:
        """The answer of a step or a function whose worker ended or missed the deadline."""
        if not isinstance(error, DeadlineMissed):
            return Answer("crashed", message=str(error))
        limits = self._file.limits
        message = f"It did not return within {limits.step_seconds:g} seconds."
        if self._time.is_used_up:
            seconds = f"{limits.total_seconds:g} seconds"
            message = f"It had not returned when the {seconds} of this submission were used up."
        return Answer("timeout", message=message)
