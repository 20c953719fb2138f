"""One student's steps on problems: run in workers, which are replaced after a crash or a missed deadline."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader.calling.answer import Answer
from grader.calling.joint import Joint
from grader.calling.numerical_watch import Seen
from grader.calling.protocol import Called, CallRequest, Measurement
from grader.reference.problem import Problem
from grader.sandbox.isolation.usage import Usage
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.file_worker import FileWorker, StudentFile
from grader.sandbox.workers.messages import Run
from grader.sandbox.workers.printed import Output
from grader.sandbox.workers.work_clock import TimeAccount
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


class Student:
    """The steps of one student's file, and its other functions. A SubmissionRunner (grader/verdict/judge/runner.py).

    Every method that runs something raises ZygoteDied, and Interrupted once the interrupt descriptor is readable.

    Attributes:
        steps: the gradients in the order in which a student writes them.
        terms: what the file may write differently from a stub.
        public: the published problem at the file's own sizes, where these differ from the lecture's.
        low_precision_steps: traced steps that computed in float32 although they were given float64.
        interrupt: the descriptor that ends a wait for a worker, and the search for an explanation.
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
        """`time` may be shared with other files; by default it has the zygote's limit for itself.

        `interrupt` is a descriptor: once it is readable, a wait for a worker raises Interrupted.
        """
        self._zygote = zygote
        self.steps = tuple(file.steps)
        self.time = TimeAccount(zygote.limits.total_seconds, zygote.clock) if time is None else time
        self._file = FileWorker(zygote, file, self.time, interrupt)
        self._chain, self._chain_answers = given.chain, dict[str, Answer]()
        self.terms, self.public = given.terms, given.public
        self._answers: dict[Problem, dict[str, Answer]] = {}
        self._traced: dict[tuple[Problem, str], Answer] = {}
        self.measurements: dict[object, Measurement] = {}
        self.baselines = zygote.baselines
        self.low_precision_steps: set[str] = set()
        self.interrupt = interrupt
        self.time_of_changed = TimeAccount(zygote.limits.total_seconds, zygote.clock)
        self.trials: Trials | None = None
        self._calls: dict[str, list[CallRequest]] = {}
        self._last_call: dict[str, CallRequest] = {}  # of a function, by itself

    def begin_loading(self) -> None:
        """Have the file run while the caller does something else; whatever needs a worker waits for it."""
        self._file.begin()

    def close(self) -> None:
        self._file.discard()

    # What is known of the file ---------------------------------------------------------------------------------------

    @property
    def load_failure(self) -> Answer | None:
        """What went wrong when the file was run, if it did; the same answer then stands for every step."""
        self._file.start()
        return self._file.load_failure

    @property
    def functions(self) -> tuple[str, ...]:
        return self._file.functions

    @property
    def note(self) -> str:
        """Why statements outside the functions were left out, if any were."""
        return self._file.note

    @property
    def switched_on(self) -> bool:
        """Whether one of its workers reported that PyTorch differentiates again."""
        return self._file.switched_on

    @property
    def output(self) -> Output:
        """What all workers have printed so far, the present one included."""
        return self._file.printed()

    @property
    def joint(self) -> Joint | None:
        """The function that returns all gradients, if one does."""
        return self._file.joint

    # Steps -----------------------------------------------------------------------------------------------------------

    def answers(self, problem: Problem) -> Mapping[str, Answer]:
        """{step: answer} for every step, each fed the problem's own upstream gradients."""
        if problem not in self._answers:
            if self._file.discloses(problem):
                self.chain()  # before the true gradients are in the worker
            self._answers |= self._file.run([problem], self.steps)
        return self._answers[problem]

    def prefetch(self, problems: Sequence[Problem]) -> None:
        """Run all steps on these problems in one batch: their answers will be read next."""
        due = [p for p in problems if p not in self._answers and not self._file.discloses(p)]
        self._answers |= self._file.run(due, self.steps)

    def run_traced(self, problem: Problem, step: str) -> Answer:
        """The step's answer with its operators counted and float32 noticed, which takes four times as long."""
        if (problem, step) not in self._traced:
            self._trace([problem], step)
        return self._traced[problem, step]

    def prefetch_traced(self, problems: Sequence[Problem], step: str) -> None:
        """Run a step traced on these problems in one batch: `run_traced` will be called for each of them next."""
        due = [p for p in problems if (p, step) not in self._traced and not self._file.discloses(p)]
        self._trace(due, step)

    def _trace(self, problems: Sequence[Problem], step: str) -> None:
        steps = self.steps if self.joint else (step,)
        for problem, answers in self._file.run(problems, steps, traced=True).items():
            self._traced[problem, step] = answers[step]
            if answers[step].low_precision:
                self.low_precision_steps.add(step)

    def run_steps(self, problem: Problem, steps: Sequence[str], joint: Joint | None = None) -> dict[str, Answer]:
        """{step: answer} for some steps, run now; with `joint`, by that function. One that failed may be run again."""
        self._file.joint, self._file.given_up = joint, {}
        return self._file.run([problem], steps)[problem]

    def chain(self) -> dict[str, Answer]:
        """{step: answer} on the chain's problem, each step fed the student's own upstream gradients; run once."""
        if self._chain is not None and not self._chain_answers:
            self._chain_answers = self._file.run_chain(*self._chain)
        return self._chain_answers

    def observe(self, steps: Collection[str]) -> dict[str, Seen]:
        """{step: what was seen} while `steps` were run again on a hidden problem: see NumericalWatch.

        It is the first hidden problem on which most of them returned: a notebook may be written for its own sizes.
        """
        plain = self._file.plain_functions
        due = [s for s in steps if s in self.steps and (self.joint.name if self.joint else s) not in plain]
        hidden = [problem for problem in self._answers if self._file.is_hidden(problem)]
        if not due or not hidden:
            return {}

        def returned(problem: Problem) -> int:
            return sum(self._answers[problem][step].outcome == "returned" for step in due)

        packed = self._file.packed(max(hidden, key=returned))
        return self._file.observe(Run(due, packed.room, joint=self.joint, observed=True), packed) or {}

    # Calls -----------------------------------------------------------------------------------------------------------

    def call(self, of: str, request: CallRequest) -> Called:
        """One call, see FileWorker.call."""
        called = self._file.call(of, request)
        if called.failed is None and request.is_plain:
            self._last_call[of] = request
        elif called.failed is None:
            self._calls.setdefault(of, []).append(request)
        return called

    def observe_calls(self, functions: Collection[str]) -> dict[str, Seen]:
        """{function or method: what was seen} while calls of each were made again, outside the verdict.

        Of a function that is called by itself, the last call: on some problems, right code happens to compute with
        numbers that are close together. Of a class, all calls in their order, since its objects remember. Those after
        the first that shows something are left out, and so is a function after a call that gave no answer.
        """
        found: dict[str, Seen] = {}
        for function in functions:
            name = function.partition(".")[0]
            if name in self._file.plain_functions:
                continue
            last = self._last_call.get(name)
            for call in [*self._calls.get(name, ()), *([last] if last else ())]:
                seen = self._file.observe(replace(call, observed=True))
                if seen is None:
                    break
                if call.name in seen:
                    found[function] = seen[call.name]
                    break
        return found

    def call_measured(self, name: str, args: Sequence[Any], memory: bool = True) -> tuple[Called, Usage | None]:
        """One call in a worker of its own, and what that worker used, None without a value.

        With `memory`, its largest resident memory is measured, which takes processor time; else only its time.
        """
        return self._file.call_in_its_own(name, args, memory)

    # Other files -----------------------------------------------------------------------------------------------------

    def like_this(self, files: Mapping[str, bytes], main: str, time: TimeAccount | None = None) -> Student:
        """Another file in workers of the same zygote."""
        return Student(self._zygote, StudentFile(files, main), time=time)

    def with_functions(self, text: bytes, steps: Sequence[str]) -> Student:
        """The same file with more functions at its end, in workers of its own."""
        file = self._file.file
        files = {**file.files, file.main: file.files[file.main] + b"\n\n\n" + text + b"\n"}
        changed = StudentFile(files, file.main, steps)
        return Student(self._zygote, changed, time=self.time_of_changed, interrupt=self.interrupt)
