"""A student's file: its steps on problems and its functions, each run once, with what judging knows of it besides."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from grader.calling.answer import Answer, Seen
from grader.calling.protocol import CallRequest, Measurement
from grader.calling.steps import Joint
from grader.reference.problem import Problem
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.file_worker import FileWorker, StudentFile
from grader.sandbox.workers.waiting import TimeAccount
from grader.verdict.explain.edits.search import Trials
from grader.verdict.judge.runner import STRICT, Terms


@dataclass(frozen=True)
class FileProblems:
    """`chain` is the problem of the student's own chain, and for each step those above it.

    `terms` is what the file may write differently from a stub, and `public` the published problem at the file's own
    sizes, where these differ from the lecture's.
    """

    chain: tuple[Problem, Mapping[str, Collection[str]]] | None = None
    terms: Terms = STRICT
    public: Problem | None = None


NO_PROBLEMS = FileProblems()


class Student(FileWorker):
    """The steps of one student's file, and its other functions. A SubmissionRunner (grader/verdict/judge/runner.py).

    Attributes:
        steps: the gradients in the order in which a student writes them.
        terms: what the file may write differently from a stub.
        public: the published problem at the file's own sizes, where these differ from the lecture's.
        low_precision_steps: traced steps that computed in float32 although they were given float64.
        time_of_changed: for the workers of the file's changed versions, all together.
        trials: the file's functions with small changes, for naming a slip.
        measurements: {key: measurement}, see remote_target.py.
        baselines: what yardsticks used in workers of this zygote.
    """

    def __init__(
        self,
        zygote: ZygoteProcess,
        file: StudentFile,
        given: FileProblems = NO_PROBLEMS,
        *,
        time: TimeAccount | None = None,
        interrupt: int | None = None,
    ) -> None:
        super().__init__(zygote, file, time=time, interrupt=interrupt)
        self.steps = tuple(file.steps)
        self._chain, self._chain_answers = given.chain, dict[str, Answer]()
        self.terms, self.public = given.terms, given.public
        self._answers: dict[Problem, dict[str, Answer]] = {}
        self._traced: dict[tuple[Problem, str], Answer] = {}
        self._calls: dict[str, list[CallRequest]] = {}
        self.measurements: dict[object, Measurement] = {}
        self.baselines = zygote.baselines
        self.low_precision_steps: set[str] = set()
        self.time_of_changed = zygote.account(zygote.limits.total_seconds)
        self.trials: Trials | None = None

    # Steps -----------------------------------------------------------------------------------------------------------

    def answers(self, problem: Problem) -> Mapping[str, Answer]:
        """{step: answer} for every step, each fed the problem's own upstream gradients."""
        if problem not in self._answers:
            if self.discloses(problem):
                self.chain()  # before the true gradients are in the worker
            self._answers |= self.run([problem], self.steps)
        return self._answers[problem]

    def prefetch(self, problems: Sequence[Problem]) -> None:
        """Run all steps on these problems in one batch: their answers will be read next."""
        self._answers |= self.run([p for p in problems if p not in self._answers and not self.discloses(p)], self.steps)

    def run_traced(self, problem: Problem, step: str) -> Answer:
        """The step's answer with its operators counted and float32 noticed, which takes four times as long."""
        if (problem, step) not in self._traced:
            self._trace([problem], step)
        return self._traced[problem, step]

    def prefetch_traced(self, problems: Sequence[Problem], step: str) -> None:
        """Run a step traced on these problems in one batch: `run_traced` will be called for each of them next."""
        self._trace([p for p in problems if (p, step) not in self._traced and not self.discloses(p)], step)

    def _trace(self, problems: Sequence[Problem], step: str) -> None:
        for problem, answers in self.run(problems, self.steps if self.joint else (step,), watched=True).items():
            self._traced[problem, step] = answers[step]
            if answers[step].low_precision:
                self.low_precision_steps.add(step)

    def run_steps(self, problem: Problem, steps: Sequence[str], joint: Joint | None = None) -> dict[str, Answer]:
        """{step: answer} for some steps, run now; with `joint`, by that function. One that failed may be run again."""
        self.joint, self.given_up = joint, {}
        return self.run([problem], steps)[problem]

    def chain(self) -> dict[str, Answer]:
        """{step: answer} on the chain's problem, each step fed the student's own upstream gradients; run once."""
        if self._chain is not None and not self._chain_answers:
            self._chain_answers = self.run_chain(*self._chain)
        return self._chain_answers

    # Calls -----------------------------------------------------------------------------------------------------------

    def call(self, of: str, request: CallRequest) -> Answer:
        """One call, see FileWorker.call. What has to be made again to watch the function is remembered."""
        answer = super().call(of, request)
        if answer.outcome == "returned" and not request.watched:
            kept = [call for call in self._calls.get(of, ()) if not (is_alone(call) and is_alone(request))]
            self._calls[of] = [*kept, request]
        return answer

    def watch(self, steps: Collection[str], functions: Collection[str]) -> dict[str, Seen]:
        """{step, function or method: what was seen} while they were run again, outside the verdict."""
        given_up, self.given_up = self.given_up, {}
        found = self._watch_steps(steps)
        for function in functions:
            if (seen := self._watch_calls(function)) is not None:
                found[function] = seen
        self.given_up = given_up
        return found

    def _watch_steps(self, steps: Collection[str]) -> dict[str, Seen]:
        """On the first hidden problem on which most of them returned: a notebook may be written for its own sizes."""
        plain, called = self.plain_functions, self.joint.name if self.joint else ""
        due = [step for step in steps if step in self.steps and (called or step) not in plain]
        hidden = [p for p in self._answers if p.dtype is torch.float64 and not self.discloses(p)]
        if not due or not hidden:
            return {}

        def returned(problem: Problem) -> int:
            return sum(self._answers[problem][step].outcome == "returned" for step in due)

        problem = max(hidden, key=returned)
        answers = self.run([problem], due, watched=True)[problem]
        return {step: answer.seen for step, answer in answers.items() if answer.seen is not None}

    def _watch_calls(self, function: str) -> Seen | None:
        """What shows first in the calls of a function, until one gives no answer.

        Of one that is called by itself, the last call: on some problems, right code happens to compute with numbers
        that are close together. Of a class, all calls in their order, since its objects remember.
        """
        name = function.partition(".")[0]
        for call in self._calls.get(name, ()) if name not in self.plain_functions else ():
            answer = super().call(name, replace(call, watched=True))
            if answer.outcome in ("timeout", "crashed", "forbidden"):
                break
            if answer.seen is not None:
                return answer.seen
        return None

    # Other files -----------------------------------------------------------------------------------------------------

    def like_this(self, files: Mapping[str, bytes], main: str, time: TimeAccount | None = None) -> Student:
        """Another file in workers of the same zygote."""
        return Student(self._zygote, StudentFile(files, main), time=time)

    def with_functions(self, text: bytes, steps: Sequence[str]) -> Student:
        """The same file with more functions at its end, in workers of its own."""
        file = self.file
        files = {**file.files, file.main: file.files[file.main] + b"\n\n\n" + text + b"\n"}
        changed = StudentFile(files, file.main, steps)
        return Student(self._zygote, changed, time=self.time_of_changed, interrupt=self.interrupt)


def is_alone(request: CallRequest) -> bool:
    """Whether a function is called by itself: no object, no class, and no function that calls it."""
    return request.handle is None and request.keep is None and not request.uses
