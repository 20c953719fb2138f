"""In which requests a student's steps are sent to a worker: in batches while that works, then one by one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import torch

from grader.calling.answer import Answer
from grader.calling.joint import Joint
from grader.calling.numerical_watch import Seen
from grader.reference.problem import Problem
from grader.sandbox.workers.endings import WORKER_FAILURES, DeadlineMissed, RecallDoubtful
from grader.sandbox.workers.file_worker import FileWorker
from grader.sandbox.workers.problem_numbers import ProblemNumbers
from grader.sandbox.workers.requests import PackedProblem, PackedUpstream
from grader.sandbox.workers.sending import Stage, pack_once, pack_upstream_once, packed_chain, stages
from grader.sandbox.workers.stage_guesses import end_of_guess, first_doubtful_stage, is_exactly
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
        recalled: steps whose rows are known from a cache. They are run only where their answers are needed all the
            same. Where there are any, a failure of the worker raises RecallDoubtful.
        is_doubtful: it has been raised.
    """

    def __init__(
        self,
        file: FileWorker,
        numbers: ProblemNumbers,
        time: TimeAccount,
        steps: Sequence[str],
        joint: Joint | None,
    ) -> None:
        self._file, self._numbers, self._time = file, numbers, time
        self.steps, self.joint, self.given_up = tuple(steps), joint, dict[str, Answer]()
        self._batches_work = True  # until something goes wrong
        self.recalled: frozenset[str] = frozenset()
        self.is_doubtful = False

    @property
    def due_steps(self) -> list[str]:
        return [step for step in self.steps if step not in self.recalled]

    def has_stages(self, problem: Problem) -> bool:
        """Whether steps are fed true upstream gradients, which must not be known before the rows above are answered."""
        return not problem.random_upstream and self.joint is None

    def is_hidden(self, problem: Problem) -> bool:
        """Whether it is not of the published problem's kind: in float64, and without true upstream gradients."""
        return problem.dtype is torch.float64 and not self.has_stages(problem)

    def run_all(
        self,
        due: Mapping[int, Problem],
        answers: dict[int, dict[str, Answer]],
        wanted: Sequence[str] | None = None,
        traced: bool = False,
    ) -> None:
        """Run steps on the problems in `due`, by their numbers, in one batch; put what succeeds into `answers`.

        Without `wanted` all steps but the `recalled` ones. For `traced` see `run`.
        """
        wanted = self.due_steps if wanted is None else wanted
        steps = [step for step in wanted if step not in self.given_up]
        seconds = self._batch_seconds(steps * len(due))
        if not steps or seconds is None or len(due) < 2 or (worker := self._file.start()) is None:
            return
        sent, self._file.sent = self._file.sent, self._file.sent | due.keys()
        frames = [pack_once(key, problem) for key, problem in due.items()]
        try:
            with self._time.waiting():
                for key, found in worker.run_all(frames, sent, steps, seconds, self._time.end, traced):
                    answers[key] = {step: found.get(step) or self.given_up[step] for step in wanted}
                    self._give_up_stopped(found)
        except WORKER_FAILURES:
            self._stop_batches()
        else:
            self._numbers.hold(problem for key, problem in due.items() if key not in sent)

    def run(self, key: int, problem: Problem, steps: Sequence[str], traced: bool = False) -> dict[str, Answer]:
        """{step: answer} for `steps` on the problem `key`, with their operators counted if they are `traced`."""
        results = dict(self.given_up)
        while due := [step for step in steps if step not in results]:
            if (worker := self._file.start()) is None:
                break
            seconds = self._batch_seconds(due)
            self._file.set_running([self.joint.name] if self.joint else due, seconds is not None)
            try:
                first = self._missing(key, problem, due)
                with self._time.waiting():
                    arriving = worker.run(key, tuple(due), None, self._time.end, self.joint, traced, seconds, first)
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
                self.refuse_recalled()
                # the first step that is due is at fault; a joint function is at fault for all of them
                answers = dict.fromkeys(due if self.joint else due[:1], self.failed(error))
                self._file.discard()
                self.given_up |= answers
                results |= answers
        return {step: results.get(step, self._file.load_failure or Answer("crashed")) for step in steps}

    def observe(self, key: int, problem: Problem, steps: Sequence[str]) -> dict[str, Seen]:
        """{step: what was seen} while `steps` were run again, outside the verdict. A failure is no observation."""
        if (worker := self._file.start()) is None:
            return {}
        try:
            for packed in self._missing(key, problem, ()):
                if isinstance(packed, PackedProblem):
                    worker.send_packed(packed)
            with self._time.waiting():
                return worker.observe(key, steps, self.joint, self._time.end)
        except WORKER_FAILURES:
            self._file.discard()
            return {}

    def run_stages(
        self, key: int, problem: Problem, chain: Mapping[str, Answer], wanted: Collection[str]
    ) -> dict[str, Answer]:
        """{step: answer} for the `wanted` steps on a problem with stages; `chain` are the answers in the student's own
        chain. The others have been answered, here or in another submission: their gradients may be disclosed."""
        if not wanted:
            return {}
        whole = stages(key, problem, self.steps)
        plan = [stage._replace(steps=tuple(step for step in stage.steps if step in wanted)) for stage in whole]
        results = self._run_stages_in_batches(key, problem, plan, chain)
        for stage in plan:
            if due := [step for step in stage.steps if step not in results]:
                results |= self.run(key, problem, due)
        return {step: results[step] for step in wanted}

    def _run_stages_in_batches(
        self, key: int, problem: Problem, plan: Sequence[Stage], chain: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        """The answers of all stages until something goes wrong: the others are then run one by one.

        Each stage is fed what the stages before it answered. The answers are taken as far as that is, bit for bit, what
        the stage should have been fed; from there on the true gradients are disclosed and the other stages run again.
        """
        results, at = dict(self.given_up), 0
        seconds = self._batch_seconds(self.steps)
        if seconds is None or (worker := self._file.start()) is None:
            return results
        try:
            if key not in self._file.sent:
                worker.send_packed(pack_once(key, problem))
                self._file.sent.add(key)
            doubtful = first_doubtful_stage(plan, problem, chain)
            while at < len(plan):
                if not plan[at].steps:
                    at += 1
                    continue
                last = end_of_guess(plan, at, results)
                last = doubtful + 1 if at <= doubtful < last else last
                disclosed = self._file.disclosed.get(key, 0)
                upstream = pack_upstream_once(key, problem, self.steps, disclosed, at)
                self._file.disclosed[key] = max(disclosed, at + 1)
                due = [[step for step in stage.steps if step not in results] for stage in plan[at:last]]
                with self._time.waiting():
                    batch = worker.run_stages(upstream, [steps for steps in due if steps], seconds, self._time.end)
                    answers = dict(batch)
                right = True
                while at < last and right:
                    steps = [step for step in plan[at].steps if step not in results]
                    results |= {step: answers[step] for step in steps}
                    right = all(is_exactly(answers[step], problem.upstream[step[1:]]) for step in steps)
                    at += 1
                self._give_up_stopped({step: answers[step] for step in answers.keys() & results.keys()})
        except WORKER_FAILURES:
            self._stop_batches()
        else:
            self._numbers.hold([problem])
        return results

    def run_chain(self, problem: Problem, needs: Mapping[str, Collection[str]]) -> dict[str, Answer]:
        """{step: answer}, each step fed the student's own upstream gradients. `needs` are the steps above each step."""
        results: dict[str, Answer] = {}
        runnable = [s for s in self.steps if s not in self.given_up and self.given_up.keys().isdisjoint(needs[s])]
        key, needs = self._numbers.chain_key(problem), {step: set(needs[step]) for step in runnable}
        while runnable and (worker := self._file.start()) is not None:
            seconds = self._batch_seconds(runnable)
            self._file.set_running(runnable, seconds is not None)
            try:
                is_known = key in self._file.sent
                first = [] if is_known else [packed_chain(key, problem, self.steps, self.joint is not None)]
                self._file.sent.add(key)
                with self._time.waiting():
                    for step, answer in worker.run(
                        key, runnable, needs, self._time.end, self.joint, False, seconds, first
                    ):
                        results[step] = answer
                        self._file.set_running([s for s in runnable if s not in results], seconds is not None)
                if first:
                    self._numbers.hold_chain(first[0], problem)
                self._file.leave_shared()
                break
            except WORKER_FAILURES:
                if seconds is None:
                    self._file.discard()
                    break
                self._stop_batches()
        return {step: results.get(step, Answer("skipped")) for step in self.steps}

    def _missing(self, key: int, problem: Problem, due: Sequence[str]) -> list[PackedProblem | PackedUpstream]:
        """What the worker lacks for these steps: the problem, and the upstream gradients of stages up to theirs."""
        first: list[PackedProblem | PackedUpstream] = []
        if key not in self._file.sent:
            first.append(pack_once(key, problem))
            self._file.sent.add(key)
        if self.has_stages(problem):
            for number, stage in enumerate(stages(key, problem, self.steps)):
                if number >= self._file.disclosed.get(key, 0):
                    first.append(stage.upstream)
                    self._file.disclosed[key] = number + 1
                if not set(due).isdisjoint(stage.steps):
                    break
        return first

    def _batch_seconds(self, steps: Sequence[str]) -> float | None:
        """Seconds in which all of `steps` should be answered, or None where they are run one by one."""
        is_batch = len(steps) > 1 or bool(self.recalled)
        return BATCH_SECONDS if self._batches_work and is_batch and self.joint is None else None

    def _stop_batches(self) -> None:
        """One of several steps failed. A new worker will show which, as if nothing had been run.

        Raises RecallDoubtful.
        """
        self.refuse_recalled()
        self._batches_work = False
        self._file.discard_last_request()

    def refuse_recalled(self) -> None:
        """Something failed: the recalled rows may not be this file's. Raises RecallDoubtful if there are any."""
        if self.recalled:
            self.is_doubtful = True
            raise RecallDoubtful

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
