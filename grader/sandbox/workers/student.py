"""A student's file in workers: its steps on problems and its functions, each run once, and what they printed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import cast
from weakref import WeakKeyDictionary

import torch

from grader.calling.answer import Answer, Seen
from grader.calling.autograd_used import SWITCHED_ON
from grader.calling.protocol import CallFailed, CallRequest, Measurement
from grader.calling.steps import Joint
from grader.lesson.paths import BACKWARD_FILE
from grader.reference.problem import Problem
from grader.reference.runner import STRICT, StepRunner, Terms
from grader.sandbox.isolation.limits import Usage
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.messages import Define, Load, Loading, PackedProblem, Request, Run, pack, pack_problem
from grader.sandbox.workers.printed import Output
from grader.sandbox.workers.waiting import DeadlineMissed, TimeAccount, WorkerLost
from grader.sandbox.workers.worker_process import WorkerProcess

TOGETHER = 0.2
"""The part of a step's time that all steps of a problem may take together, before each is run by itself."""
NOT_CALLED_AGAIN = ("timeout", "crashed", "forbidden")
"""Outcomes after which a function is not called again."""
PACKED_PROBLEMS: WeakKeyDictionary[Problem, dict[frozenset[str], PackedProblem]] = WeakKeyDictionary()
"""Problems as they were sent, by the names whose upstream gradients were left out."""


def pack_once(problem: Problem, left_out: Collection[str] = ()) -> PackedProblem:
    """The problem without the upstream gradients of the names in `left_out`.

    * Hidden problems are sent with random upstream gradients, each drawn on its own: none is the gradient of another.
    * One function for all gradients (`Joint`) is sent forward values only: what is above a row is another row.
    * The published problem is sent with the true upstream gradients, which are the references of the rows above. It is
      sent after the student's own chain has run on it, and decides no points: only its bits are reported.
    * The student's own chain is sent upstream gradients only where no step of the student's returns them.

    `python -m bench attacks sent` compares every tensor that is sent with every reference.
    """
    known, key = PACKED_PROBLEMS.setdefault(problem, {}), frozenset(left_out)
    if key not in known:
        upstream = {name: gradient for name, gradient in problem.fed.items() if name not in key}
        known[key] = pack_problem(problem.dtype, problem.values, upstream, problem.groups)
    return known[key]


@dataclass(eq=False)
class Student(StepRunner):
    """The steps and functions of one student's file.

    A worker with the file in it is started when it is needed, and again after it has ended. A step that hangs or ends
    its process is not run again; the others are, in a new process. Every method that runs something raises ZygoteDied,
    and Interrupted once the descriptor `interrupt` is readable.

    Attributes:
        files: {file name: bytes}; BACKWARD_FILE is the graded one.
        steps: its functions that return gradients, in the order in which a student writes them.
        joint: the function that returns all gradients, if one does.
        not_allowed: parts of PyTorch that are removed in the worker, see library_off.py.
        own_chain: the problem of the student's own chain, and for each step those above it.
        terms: what the file may write differently from a stub.
        public: the published problem at the file's own sizes, where these differ from the lecture's.
        account: what all its workers may use, where other files share it.
        time: `account`, or one of its own.
        process: the present worker; None before the first one is started and after one was discarded.
        given_up: {step or function: its answer}, of those that are not run again.
        functions: the names of the file's functions, once it was loaded.
        plain_functions: those of them that need no watching, see calling/plain_functions.py.
        note: why statements outside the functions were left out, if any were.
        output: what all workers have printed so far.
        switched_on: a worker reported that PyTorch differentiates again.
        is_right: every gradient was found right, so the chain of them all need not be run.
        measurements: {key: measurement}, see remote_target.py.
    """

    zygote: ZygoteProcess
    files: Mapping[str, bytes]
    steps: Sequence[str] = ()
    joint: Joint | None = None
    not_allowed: Sequence[str] = ()
    own_chain: tuple[Problem, Mapping[str, Collection[str]]] | None = None
    terms: Terms = STRICT
    public: Problem | None = None
    account: TimeAccount | None = None
    interrupt: int | None = None

    def __post_init__(self) -> None:
        self._limits = self.zygote.limits
        self.time = self.account or self.zygote.account(self._limits.total_seconds)
        self.process: WorkerProcess | None = None
        self.given_up: dict[str, Answer] = {}
        self.functions, self.plain_functions, self.note = Loading((), frozenset(), "")
        self.output, self.switched_on, self.is_right = Output(self._limits.output_bytes), False, False
        self.measurements: dict[object, Measurement] = {}
        self._load_failure: Answer | None = None
        self._answers: dict[Problem, dict[str, Answer]] = {}
        self._chain_answers: dict[str, Answer] = {}
        self._traced: dict[tuple[Problem, str], Answer] = {}
        self._calls: dict[str, list[CallRequest]] = {}

    # The worker ------------------------------------------------------------------------------------------------------

    def start(self) -> WorkerProcess | None:
        """The present worker, or a new one in which the file was run; None where there is a load failure."""
        if self.process is None and self._load_failure is None:
            self._load_failure = self._load()
            if self._load_failure is not None:
                self.close()
        return self.process

    def _load(self) -> Answer | None:
        """Have a new worker run the file; None where it did."""
        seconds = self._limits.import_seconds
        if self.time.is_used_up:
            total = f"{self._limits.total_seconds:g} seconds of this submission"
            return Answer("timeout", message=f"It was not run: earlier steps used up the {total}.")
        self.process = self.zygote.worker()
        self.process.interrupt = self.interrupt
        self.process.wait_until_locked_in()
        answers = self._ask(Load(dict(self.files), BACKWARD_FILE, self.not_allowed), seconds, BACKWARD_FILE)
        if isinstance(answers, Answer):
            what = f"While the file was being run: {answers.message}"
            if answers.outcome == "timeout":
                what = f"The file itself did not finish running within {seconds:g} seconds"
                what += ": is there a loop outside the functions?"
            return answers._replace(message=what)
        (answer,) = answers
        if answer.outcome != "returned":
            return answer if answer.outcome == "forbidden" else answer._replace(outcome="raised")
        self.functions, self.plain_functions, self.note = cast(Loading, answer.value)
        return None

    @property
    def load_failure(self) -> Answer | None:
        """What went wrong when the file was run, if it did; the same answer then stands for every step."""
        self.start()
        return self._load_failure

    def close(self) -> None:
        """End the present worker, if there is one."""
        if self.process is not None:
            self.process.close()
            self.process = None

    def _ask(self, request: Request, seconds: float, running: str = "") -> list[Answer] | Answer:
        """The answers of the present worker; or what stands for each of them where none came, and it is gone.

        `running` is what to show in place of the requested names.
        """
        assert self.process is not None
        # what the file prints as it is run was shown by its first worker
        self.process.print_to(Output(0) if isinstance(request, Load) and self.functions else self.output)
        packed = pack(request)
        self.zygote.running = running or (packed.names[0] if len(packed.names) == 1 else "")
        try:
            answers = self.process.answers(packed, seconds, self.time)
            self.switched_on |= any(answer.message == SWITCHED_ON for answer in answers)
            return answers
        except WorkerLost as error:
            self.close()
            return Answer("crashed", message=str(error))
        except DeadlineMissed:
            self.close()
            if self.time.is_used_up:
                total = f"{self._limits.total_seconds:g} seconds of this submission"
                return Answer("timeout", message=f"It had not returned when the {total} were used up.")
            return Answer("timeout", message=f"It did not return within {self._limits.step_seconds:g} seconds.")
        finally:
            self.zygote.running = ""

    # Steps -----------------------------------------------------------------------------------------------------------

    def discloses(self, problem: Problem) -> bool:
        """Whether steps are fed true upstream gradients: the references of the rows above."""
        return not problem.random_upstream and self.joint is None

    def answers(self, problem: Problem) -> Mapping[str, Answer]:
        """{step: answer} for every step that is run there, each fed the problem's own upstream gradients."""
        if problem not in self._answers:
            if self.discloses(problem) and not self.is_right:
                self.chain()  # before the true gradients are in the worker
            self._answers[problem] = self._run(problem, list(filter(problem.draw.asks, self.steps)))
        return self._answers[problem]

    def run_traced(self, problem: Problem, step: str) -> Answer:
        """The step's answer with its operators counted and float32 noticed, which takes four times as long."""
        if (problem, step) not in self._traced:
            due = self.steps if self.joint else (step,)
            self._traced[problem, step] = self._run(problem, due, watched=True)[step]
        return self._traced[problem, step]

    @property
    def low_precision_steps(self) -> set[str]:
        """Traced steps that computed in float32 although they were given float64."""
        return {step for (_, step), answer in self._traced.items() if answer.low_precision}

    def _run(self, problem: Problem, steps: Sequence[str], watched: bool = False) -> dict[str, Answer]:
        """{step: answer} for `steps`; with `watched` see Run.

        One request for all steps costs a quarter less than one for each. Where its reply does not come soon, each step
        gets a request of its own, which shows the one that is at fault.
        """
        joint, found, together = self.joint, dict[str, Answer](), True
        packed = pack_once(problem, problem.upstream if joint else ())  # a joint function needs no upstream gradients
        while self.start() is not None:
            missing = [step for step in steps if step not in found and step not in self.given_up]
            if not missing:
                break
            batch = missing if together or joint else missing[:1]
            seconds = self._limits.total_seconds if watched else self._limits.step_seconds
            if joint is None and len(batch) > 1:
                seconds *= TOGETHER
            request = Run(packed, batch, joint=joint, watched=watched)
            answers = self._ask(request, seconds, joint.name if joint else "")
            if not isinstance(answers, Answer):
                found |= zip(batch, answers, strict=True)
                for step, answer in zip(batch, answers, strict=True):
                    if answer.outcome in NOT_CALLED_AGAIN and answer.seen is None:  # else only the watch stopped it
                        self.given_up[step] = answer
                continue
            if joint or len(batch) == 1:
                self.given_up |= dict.fromkeys(batch, answers)
            together = False
        other = self._load_failure or Answer("crashed")
        return {step: found.get(step) or self.given_up.get(step, other) for step in steps}

    def chain(self) -> dict[str, Answer]:
        """{step: answer} on the chain's problem, each step fed the student's own upstream gradients; run once."""
        if self.own_chain is not None and not self._chain_answers:
            problem, above = self.own_chain
            steps = [s for s in self.steps if s not in self.given_up and self.given_up.keys().isdisjoint(above[s])]
            # upstream gradients are sent only where no step of the student's returns them
            packed = pack_once(problem, problem.upstream if self.joint else [step[1:] for step in self.steps])
            results = dict[str, Answer]()
            if steps and self.start() is not None:
                own = {step: sorted(above[step]) for step in steps}
                answers = self._ask(Run(packed, steps, own, self.joint), self._limits.step_seconds)
                results = {} if isinstance(answers, Answer) else dict(zip(steps, answers, strict=True))
            self._chain_answers = {step: results.get(step, Answer("skipped")) for step in self.steps}
        return self._chain_answers

    # Calls -----------------------------------------------------------------------------------------------------------

    def call(self, request: CallRequest) -> Answer:
        """One call. A function that hangs or ends its process is not called again.

        What is called again to watch the function is remembered: of its own calls the last one, and all in which the
        course's own code uses it.
        """
        answer = self._call(request)
        if answer.outcome == "returned":
            kept = [call for call in self._calls.get(request.name, ()) if call.uses or request.uses]
            self._calls[request.name] = [*kept, request]
        return answer

    def _call(self, request: CallRequest) -> Answer:
        if request.name in self.given_up:
            return self.given_up[request.name]
        if self.start() is None:
            return self._load_failure or Answer("crashed")
        # what is watched returned in time when nobody watched
        seconds = self._limits.total_seconds if request.watched else self._limits.step_seconds
        answers = self._ask(request, seconds)
        answer = answers if isinstance(answers, Answer) else answers[0]
        if answer.outcome in NOT_CALLED_AGAIN:
            self.close()
            self.given_up[request.name] = answer
        return answer

    def call_measured(self, name: str, args: Sequence[object], memory: bool = True) -> tuple[object, Usage]:
        """(what one call in a worker of its own returns, what that worker used). Raises CallFailed.

        With `memory`, its largest resident memory is measured, which takes processor time; else only its time.
        """
        self.close()
        answer = self._call(CallRequest(name, args, memory=memory))
        used = self.process.end_and_measure() if self.process is not None else None
        self.process = None
        if used is None or answer.outcome != "returned":
            raise CallFailed(answer, name)
        return answer.value, used

    # What they do, watched -------------------------------------------------------------------------------------------

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
        """On the first hidden problem on which most of them returned: a notebook may be written for its own sizes.

        Of a gradient that is zero, the answer is rounding, which any disturbance changes.
        """
        called = self.joint.name if self.joint else ""
        due = [step for step in steps if step in self.steps and (called or step) not in self.plain_functions]
        hidden = [p for p in self._answers if p.dtype is torch.float64 and not self.discloses(p)]
        if not due or not hidden:
            return {}

        def returned(problem: Problem) -> int:
            return sum(step in due and each.outcome == "returned" for step, each in self._answers[problem].items())

        problem = max(hidden, key=returned)
        answers = self._run(problem, due, watched=True)
        seen = {step: answer.seen for step, answer in answers.items() if answer.seen is not None}
        return {step: each for step, each in seen.items() if not problem.is_zero(step[1:])}

    def _watch_calls(self, function: str) -> Seen | None:
        """What shows first in the calls of a function, until one gives no answer.

        Of its own calls only the last one is made again: on some problems, right code happens to compute with numbers
        that are close together.
        """
        name = function.partition(".")[0]
        for call in self._calls.get(name, ()) if name not in self.plain_functions else ():
            answer = self._call(replace(call, watched=True))
            if answer.outcome in NOT_CALLED_AGAIN:
                break
            if answer.seen is not None:
                return answer.seen
        return None

    # Outside the verdict ----------------------------------------------------------------------------------------------

    @contextmanager
    def aside(self, time: TimeAccount) -> Iterator[None]:
        """What runs inside uses up `time`. Nothing that it prints, or is caught at, counts."""
        kept = self.time, self.output, self.joint, self.given_up, self.switched_on
        self.time, self.output, self.given_up = time, Output(0), {}
        try:
            yield
        finally:
            self.time, self.output, self.joint, self.given_up, self.switched_on = kept

    def define(self, text: str) -> None:
        """Add functions to the file, after its verdict, also in the present worker."""
        source = self.files[BACKWARD_FILE] + b"\n\n\n" + text.encode("utf-8", "replace") + b"\n"
        self.files = {**self.files, BACKWARD_FILE: source}
        if self.process is not None:
            self._ask(Define(text), self._limits.import_seconds, BACKWARD_FILE)

    def run_steps(self, problem: Problem, steps: Sequence[str], joint: Joint | None = None) -> dict[str, Answer]:
        """{step: answer} for some steps, run now; with `joint`, by that function."""
        self.joint = joint
        return self._run(problem, steps)
