"""In which requests a student's steps are sent to a worker: in batches while that works, then one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import torch

from grader.calling.answer import Answer
from grader.calling.joint import Joint
from grader.calling.numerical_watch import Seen
from grader.reference.problem import Problem
from grader.sandbox.workers.endings import WORKER_FAILURES, DeadlineMissed
from grader.sandbox.workers.file_worker import FileWorker
from grader.sandbox.workers.requests import PackedProblem
from grader.sandbox.workers.sending import pack_once
from grader.sandbox.workers.time_account import TimeAccount

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

    def _packed_chain(self, problem: Problem) -> PackedProblem:
        """With upstream gradients only where no step of the student's returns them."""
        return pack_once(problem, problem.upstream if self.joint is not None else [step[1:] for step in self.steps])

    def run_all(
        self, due: Iterable[Problem], wanted: Sequence[str], traced: bool = False
    ) -> dict[Problem, dict[str, Answer]]:
        """{problem: {step: answer}} of the `wanted` steps, run in one batch, as far as that succeeds."""
        answers: dict[Problem, dict[str, Answer]] = {}
        problems = {packed.number: problem for problem in due for packed in [self._packed(problem)]}
        steps = [step for step in wanted if step not in self.given_up]
        seconds = self._batch_seconds(steps * len(problems))
        if not steps or seconds is None or len(problems) < 2 or (worker := self._file.start()) is None:
            return answers
        sent, self._file.sent = self._file.sent, self._file.sent | problems.keys()
        frames = [self._packed(problem) for problem in problems.values()]
        try:
            with self._time.waiting():
                for number, found in worker.run_all(frames, sent, steps, seconds, self._time.end, traced):
                    answers[problems[number]] = {step: found.get(step) or self.given_up[step] for step in wanted}
                    self._give_up_stopped(found)
        except WORKER_FAILURES:
            self._stop_batches()
        return answers

    def run(self, problem: Problem, steps: Sequence[str], traced: bool = False) -> dict[str, Answer]:
        """{step: answer} for `steps` on the problem, with their operators counted if they are `traced`."""
        results, packed = dict(self.given_up), self._packed(problem)
        while due := [step for step in steps if step not in results]:
            if (worker := self._file.start()) is None:
                break
            seconds = self._batch_seconds(due)
            self._file.set_running([self.joint.name] if self.joint else due, seconds is not None)
            try:
                is_sent = self._is_sent(packed)
                with self._time.waiting():
                    arriving = worker.run(
                        packed, tuple(due), None, self._time.end, self.joint, traced, seconds, is_sent
                    )
                    for step, answer in arriving:
                        results[step] = answer
                        due.remove(step)
                        if not self.joint:
                            self._file.set_running(due, seconds is not None)
                        self._give_up_stopped({step: answer})
            except WORKER_FAILURES as error:
                if seconds is not None:
                    self._stop_batches()
                    continue
                # the first step that is due is at fault; a joint function is at fault for all of them
                answers = dict.fromkeys(due if self.joint else due[:1], self.failed(error))
                self._file.discard()
                self.given_up |= answers
                results |= answers
        return {step: results.get(step, self._file.load_failure or Answer("crashed")) for step in steps}

    def observe(self, problem: Problem, steps: Sequence[str]) -> dict[str, Seen]:
        """{step: what was seen} while `steps` were run again, outside the verdict. A failure is no observation."""
        if (worker := self._file.start()) is None:
            return {}
        try:
            packed = self._packed(problem)
            if not self._is_sent(packed):
                worker.send_packed(packed)
            with self._time.waiting():
                return worker.observe(packed.number, steps, self.joint, self._time.end)
        except WORKER_FAILURES:
            self._file.discard()
            return {}

    def run_chain(self, problem: Problem, needs: Mapping[str, Collection[str]]) -> dict[str, Answer]:
        """{step: answer}, each step fed the student's own upstream gradients. `needs` are the steps above each step."""
        results: dict[str, Answer] = {}
        runnable = [s for s in self.steps if s not in self.given_up and self.given_up.keys().isdisjoint(needs[s])]
        packed, needs = self._packed_chain(problem), {step: set(needs[step]) for step in runnable}
        while runnable and (worker := self._file.start()) is not None:
            seconds = self._batch_seconds(runnable)
            self._file.set_running(runnable, seconds is not None)
            try:
                is_sent = self._is_sent(packed)
                with self._time.waiting():
                    for step, answer in worker.run(
                        packed, runnable, needs, self._time.end, self.joint, False, seconds, is_sent
                    ):
                        results[step] = answer
                        self._file.set_running([s for s in runnable if s not in results], seconds is not None)
                break
            except WORKER_FAILURES:
                if seconds is None:
                    self._file.discard()
                    break
                self._stop_batches()
        return {step: results.get(step, Answer("skipped")) for step in self.steps}

    def _is_sent(self, packed: PackedProblem) -> bool:
        """Whether the worker has the problem. If not, it is noted as sent: the caller sends it."""
        is_sent = packed.number in self._file.sent
        self._file.sent.add(packed.number)
        return is_sent

    def _batch_seconds(self, steps: Sequence[str]) -> float | None:
        """Seconds in which all of `steps` should be answered, or None where they are run one by one."""
        return BATCH_SECONDS if self._batches_work and len(steps) > 1 and self.joint is None else None

    def _stop_batches(self) -> None:
        """One of several steps failed. A new worker will show which, as if nothing had been run."""
        self._batches_work = False
        self._file.discard_last_request()

    def _give_up_stopped(self, answers: Mapping[str, Answer]) -> None:
        """Steps that used autograd or were stopped are not run again."""
        self.given_up |= {step: a for step, a in answers.items() if a.outcome in ("forbidden", "timeout")}

    def failed(self, error: Exception) -> Answer:
        """The answer of a step or a function whose worker ended or missed the deadline."""
        if not isinstance(error, DeadlineMissed):
            return Answer("crashed", message=str(error))
        file, line = self._file, self._file.hang_line()
        message = f"It did not return within {file.limits.step_seconds:g} seconds."
        if self._time.is_used_up:
            seconds = f"{file.limits.total_seconds:g} seconds"
            message = f"It had not returned when the {seconds} of this submission were used up."
        return Answer("timeout", message=message, line=line)
