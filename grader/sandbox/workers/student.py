"""One student's steps on problems: workers started, restarted after a crash or a missed deadline, answers kept."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.calling.joint import Joint
from grader.calling.protocol import Called, Measurement
from grader.reference.problem import Problem
from grader.sandbox.policy.static_check import Finding
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.endings import DeadlineMissed, WorkerLost
from grader.sandbox.workers.measuring import MeasuredCall, request_for
from grader.sandbox.workers.printed import Span, cut
from grader.sandbox.workers.requests import PackedProblem, PackedUpstream
from grader.sandbox.workers.sending import Stage, disclosed, packed, packed_chain, stages
from grader.sandbox.workers.wire import WireError
from grader.sandbox.workers.worker_process import WorkerProcess
from grader.verdict.diagnosis.repairs.repairs import Trials
from grader.verdict.diagnosis.time_allowance import Allowance, own_seconds
from grader.verdict.judging.own_sizes import STRICT, Terms


class Student:
    """`files` is {file name: bytes}, `main` the graded one, `steps` the gradients in the order a student writes them.

    `findings` names steps that use what is not allowed, by their first line that does. A step that hangs or takes its
    process down is not run again; every other step is, in a new process. With `joint`, that function gives all steps.
    """

    def __init__(
        self,
        zygote: ZygoteProcess,
        files: Mapping[str, bytes],
        main: str,
        steps: Sequence[str],
        findings: Mapping[str, Finding] | None = None,
        joint: Joint | None = None,
        interrupt: int | None = None,
        problems: Sequence[Problem] = (),
        chain: tuple[Problem, Mapping[str, Collection[str]]] | None = None,
        terms: Terms = STRICT,
        public: Problem | None = None,
    ) -> None:
        """`interrupt` is a descriptor: once it is readable, every method that waits raises Interrupted.

        `problems` are some that workers may have been sent beforehand, numbered in this order (`send_ahead`); else they
        are numbered as the zygote's are. `chain` is the problem of the student's own chain, and from which steps each
        step is made: it is run before any true upstream gradient is disclosed. `terms` are what the file may write
        otherwise than a stub, and `public` is the published problem at its own sizes, where these are others.
        """
        self._zygote, self._files, self._main, self.steps = zygote, files, main, tuple(steps)
        self._limits, self._joint, self._interrupt = zygote.limits, joint, interrupt
        self._worker: WorkerProcess | None = None
        self._sent: set[int] = set()
        self._disclosed: dict[int, int] = {}  # problem -> stages of true upstream gradients that the worker has
        self._chain, self._chained = chain, dict[str, Answer]()
        self.terms, self.public = terms, public
        self._apart: list[Problem] = []  # problems of its own, numbered from APART on, which no zygote keeps
        if public is not None and chain is not None:
            self.add_private_problems((public, chain[0]))
        self._answers: dict[int, dict[str, Answer]] = {}
        self._watched: dict[tuple[int, str], Answer] = {}
        self.measurements: dict[object, Measurement] = {}
        self.baselines = zygote.baselines  # what yardsticks used in workers of this zygote
        self.low_precision_steps: set[str] = set()  # steps that were seen to compute float64 in float32
        self._own_numbers = bool(problems)
        self._problems = list(problems) if problems else zygote.problems
        self._given_up = {
            step: Answer("forbidden", message=finding.message, line=finding.line)
            for step, finding in (findings or {}).items()
        }
        if joint is not None and joint.name in self._given_up:
            self._given_up |= dict.fromkeys(steps, self._given_up[joint.name])
        self._unloadable: Answer | None = None
        self._hurried = True  # until something goes wrong: which step it was is then found out by asking one by one
        self._loaded = 0  # bytes that the worker had printed when the file was loaded
        self._spent = 0.0  # seconds waited for this submission
        self._started = own_seconds()
        self.allowance = Allowance()  # for explaining what is wrong
        self.trials: Trials | None = None  # the file's functions with small changes, for the same
        self.functions: tuple[str, ...] = ()
        self.note = ""  # why the file stopped before its end, if it did
        self.switched_on = False  # one of its workers said that PyTorch differentiates again
        self.printed, self.printed_bytes = b"", 0
        self.spans: list[Span] = []  # of `printed`: which function printed what

    @property
    def heard(self) -> bytes:
        """What the file and its steps have printed up to now."""
        return self.printed + (bytes(self._worker.printed) if self._worker else b"")

    @property
    def heard_from(self) -> list[Span]:
        """Which function printed what of `heard`."""
        worker = self._worker
        return self.spans + (cut(worker.spans, 0, len(worker.printed), len(self.printed)) if worker else [])

    @property
    def load_failure(self) -> Answer | None:
        """What went wrong when the file was run, if it did; the same answer then stands for every step."""
        self._ready()
        return self._unloadable

    def answers(self, problem: Problem) -> dict[str, Answer]:
        """{step: answer} for every step, each fed the problem's own upstream gradients."""
        key = self._number(problem)
        if key not in self._answers:
            self._answers[key] = (
                self._by_stages(key, problem) if self._has_stages(problem) else self._run(key, problem, self.steps)
            )
        return self._answers[key]

    def _has_stages(self, problem: Problem) -> bool:
        """Whether steps are fed true upstream gradients, which must not be known before the rows above are answered."""
        return not problem.random_upstream and self._joint is None

    def _by_stages(self, key: int, problem: Problem) -> dict[str, Answer]:
        self.chain()
        plan = stages(key, problem, self.steps)
        results = self._hurry_through(key, problem, plan)
        for stage in plan:
            if not results.keys() >= set(stage.steps):
                results |= self._run(key, problem, [step for step in stage.steps if step not in results])
        return {step: results[step] for step in self.steps}

    def _hurry_through(self, key: int, problem: Problem, plan: Sequence[Stage]) -> dict[str, Answer]:
        """The answers of all stages until one goes wrong: then they are asked one by one.

        Each stage is fed what the stages before it answered. The answers are taken as far as that is, bit for bit, what
        it should have been fed; from there on the true gradients are disclosed and the other stages asked again.
        """
        hurry, results, at = self._hurry(self.steps), dict(self._given_up), 0
        if hurry is None or not self._ready():
            return results
        assert self._worker is not None
        try:
            if key not in self._sent:
                self._worker.send_packed(packed(key, problem))
                self._sent.add(key)
            doubt = self._first_doubt(problem, plan)
            while at < len(plan):
                last = end_of_guess(plan, at, results)
                last = doubt + 1 if at <= doubt < last else last
                upstream = disclosed(key, problem, self.steps, self._disclosed.get(key, 0), at)
                self._disclosed[key] = at + 1
                asked = [[step for step in stage.steps if step not in results] for stage in plan[at:last]]
                asked = [steps for steps in asked if steps]
                with self._spending():
                    answers = dict(self._worker.run_stages(upstream, asked, hurry, self._end))
                right = True
                while at < last and right:
                    steps = [step for step in plan[at].steps if step not in results]
                    results |= {step: answers[step] for step in steps}
                    right = all(is_exactly(answers[step], problem.upstream[step[1:]]) for step in steps)
                    at += 1
                for step in answers.keys() & results.keys():
                    if answers[step].outcome in ("forbidden", "timeout"):
                        self._given_up[step] = answers[step]
        except (DeadlineMissed, WorkerLost, WireError):
            self._slow_down()
        else:
            self._hold([problem])
        return results

    def _first_doubt(self, problem: Problem, plan: Sequence[Stage]) -> int:
        """The number of the first stage whose answers in the student's own chain show that it is wrong."""
        for number, stage in enumerate(plan):
            for step in stage.steps:
                answer, reference = self._chained.get(step), problem.upstream[step[1:]]
                if answer is not None and not (answer.tensor is not None and is_nearly(answer.tensor, reference)):
                    return number
        return len(plan)

    def prefetch(self, problems: Sequence[Problem]) -> None:
        """Says which problems will be asked about: all at once is faster than one after another."""
        due = {self._number(problem): problem for problem in problems}
        due = {k: p for k, p in due.items() if k not in self._answers and not self._has_stages(p)}
        steps = [step for step in self.steps if step not in self._given_up]
        hurry = self._hurry(steps)
        if hurry is None or len(due) < 2 or not self._ready():
            return
        assert self._worker is not None
        asked = [packed(key, problem) for key, problem in due.items()]
        sent, self._sent = self._sent, self._sent | due.keys()
        try:
            with self._spending():
                for key, answers in self._worker.run_all(asked, sent, steps, hurry, self._end):
                    self._answers[key] = {step: answers.get(step) or self._given_up[step] for step in self.steps}
                    for step, answer in answers.items():
                        if answer.outcome in ("forbidden", "timeout"):
                            self._given_up[step] = answer
        except (DeadlineMissed, WorkerLost, WireError):
            self._slow_down()
        else:
            self._hold(problem for key, problem in due.items() if key not in sent)

    def _hold(self, problems: Iterable[Problem]) -> None:
        """Has the zygote keep them for the workers to come."""
        for problem in () if self._own_numbers else problems:
            if self._number(problem) >= APART:
                continue
            self._zygote.hold(packed(self._number(problem), problem), problem)

    def run_traced(self, problem: Problem, step: str) -> Answer:
        """The step's answer with its operators counted and float32 noticed, which makes it four times slower."""
        key = self._number(problem)
        if (key, step) not in self._watched:
            answer = self._run(key, problem, self.steps if self._joint else (step,), watched=True)[step]
            self._watched[key, step] = answer
            if answer.low_precision:
                self.low_precision_steps.add(step)
        return self._watched[key, step]

    def chain(self) -> dict[str, Answer]:
        """{step: answer} on the chain's problem, each step fed the student's own upstream gradients; run once."""
        if self._chain is not None and not self._chained:
            self._chained = self._run_chain(*self._chain)
        return self._chained

    def _run_chain(self, problem: Problem, needs: Mapping[str, Collection[str]]) -> dict[str, Answer]:
        results: dict[str, Answer] = {}
        runnable = [step for step in self.steps if step not in self._given_up]
        for step in self.steps:
            if step not in runnable:
                results[step] = Answer("skipped")
        blocked = {s: set(needs[s]) & self._given_up.keys() for s in runnable}
        runnable = [s for s in runnable if not blocked[s]]
        key, own_needs = -1 - self._number(problem), {s: set(needs[s]) for s in runnable}
        while runnable and self._ready():
            assert self._worker is not None
            hurry = self._hurry(runnable)
            try:
                known = key in self._sent
                first = [] if known else [packed_chain(key, problem, self.steps, self._joint is not None)]
                self._sent.add(key)
                with self._spending():
                    asked = self._worker.run(key, runnable, own_needs, self._end, self._joint, hurry=hurry, first=first)
                    for step, answer in asked:
                        results[step] = answer
                if first and not self._own_numbers and self._number(problem) < APART:
                    self._zygote.hold(first[0], problem)
                break
            except (WorkerLost, DeadlineMissed, WireError):
                if hurry is None:
                    self._drop()
                    break
                self._slow_down()
        return {step: results.get(step, Answer("skipped")) for step in self.steps}

    def call(self, of: str, request: Mapping[str, Any], args: list[Any], kwargs: dict[str, Any]) -> Called:
        """One call; `of` is the function or class that it is about. What cannot be had is a `Called` that failed.

        A function that hangs or takes its process down is not called again.
        """
        if of in self._given_up:
            return Called(failed=self._given_up[of])
        if not self._ready():
            return Called(failed=self._unloadable or Answer("crashed"))
        assert self._worker is not None
        try:
            with self._spending():
                called = self._worker.call(request, args, kwargs, self._end)
        except DeadlineMissed:
            called = Called(failed=Answer("timeout", message=self._too_late()))
        except (WorkerLost, WireError) as error:
            called = Called(failed=Answer("crashed", message=str(error)))
        if called.failed is not None and called.failed.outcome in ("timeout", "crashed", "forbidden"):
            self._drop()
            self._given_up[of] = called.failed
        return called

    def measured(self, name: str, args: Sequence[Any], memory: bool = True) -> MeasuredCall:
        """One call in a worker of its own, and what that worker used; the present worker is kept for later calls.

        `memory` says what is of interest: its largest resident memory (which takes some processor time), or its time.
        """
        kept = self._worker, self._sent, self._loaded
        self._worker, self._sent, used = None, set(), None
        try:
            if name not in self._given_up:
                self._ready(memory)
            called = self.call(name, request_for(name), list(args), {})
            if self._worker is not None:
                ended = self._worker.end_and_measure()
                self._collect(self._worker, self._loaded)  # not what the file prints each time it is loaded
                used = None if called.failed is not None else ended
        finally:
            if self._worker is not None:
                self._worker.close()
            self._worker, self._sent, self._loaded = kept
        return MeasuredCall(called, used)

    def like_this(self, files: Mapping[str, bytes], main: str) -> Student:
        """Another file in workers of the same zygote."""
        return Student(self._zygote, files, main, ())

    def extended(self, text: bytes, steps: Sequence[str], seconds: float) -> Student:
        """The same file with more functions at its end, in workers of its own; it may wait for `seconds` in all."""
        files = {**self._files, self._main: self._files[self._main] + b"\n\n\n" + text + b"\n"}
        problems = self._problems if self._own_numbers else ()
        other = Student(self._zygote, files, self._main, steps, interrupt=self._interrupt, problems=problems)
        other._spent = max(self._spent, self._limits.total_seconds - seconds)
        return other

    def run_steps(self, problem: Problem, steps: Sequence[str], joint: Joint | None = None) -> dict[str, Answer]:
        """{step: answer} for some steps, run now; with `joint`, by that function. One that failed may be run again."""
        self._joint, self._given_up = joint, {}
        return self._run(self._number(problem), problem, steps)

    @property
    def joint(self) -> Joint | None:
        return self._joint

    def close(self) -> None:
        self._drop()

    @property
    def _end(self) -> float:
        """When this submission's seconds are used up if they all run from now on."""
        return time.monotonic() + self._limits.total_seconds - self._used

    @property
    def _used(self) -> float:
        """Seconds waited for this submission, and what judging it took above FREE_SECONDS of processor time."""
        return self._spent + max(0.0, own_seconds() - self._started - FREE_SECONDS)

    @contextmanager
    def _spending(self) -> Iterator[None]:
        started = time.monotonic()
        try:
            yield
        finally:
            self._spent += time.monotonic() - started

    def _number(self, problem: Problem) -> int:
        for number, known in enumerate(self._problems):
            if known is problem:
                return number
        for number, known in enumerate(self._apart, APART):
            if known is problem:
                return number
        self._problems.append(problem)
        return len(self._problems) - 1

    def add_private_problems(self, problems: Iterable[Problem]) -> None:
        """Says of problems that only this student is asked about them: the zygote need not keep them for others."""
        self._apart += [problem for problem in problems if all(problem is not known for known in self._apart)]

    def _numbered(self, key: int) -> Problem | None:
        number = key if key >= 0 else -1 - key
        return self._problems[number] if number < len(self._problems) else None

    def _run(self, key: int, problem: Problem, steps: Sequence[str], watched: bool = False) -> dict[str, Answer]:
        results = dict(self._given_up)
        while True:
            due = [step for step in steps if step not in results]
            if not due or not self._ready():
                break
            assert self._worker is not None
            hurry = self._hurry(due)
            try:
                first = self._missing(key, problem, due)
                with self._spending():
                    asked = self._worker.run(key, tuple(due), None, self._end, self._joint, watched, hurry, first)
                    for step, answer in asked:
                        results[step] = answer
                        due.remove(step)
                        if answer.outcome in ("forbidden", "timeout"):
                            self._given_up[step] = answer
            except (DeadlineMissed, WorkerLost, WireError) as error:
                late = isinstance(error, DeadlineMissed)
                if hurry is not None:
                    self._slow_down()
                elif late:
                    self._give_up(due, results, Answer("timeout", message=self._too_late()))
                else:
                    self._give_up(due, results, Answer("crashed", message=str(error)))
        return {step: results.get(step, self._unloadable or Answer("crashed")) for step in steps}

    def _missing(self, key: int, problem: Problem, due: Sequence[str]) -> list[PackedProblem | PackedUpstream]:
        """What the worker lacks for these steps: the problem, and the upstream gradients of stages up to theirs."""
        first: list[PackedProblem | PackedUpstream] = []
        if key not in self._sent:
            first.append(packed(key, problem))
            self._sent.add(key)
        if self._has_stages(problem):
            for number, stage in enumerate(stages(key, problem, self.steps)):
                if number >= self._disclosed.get(key, 0):
                    first.append(stage.upstream)
                    self._disclosed[key] = number + 1
                if not set(due).isdisjoint(stage.steps):
                    break
        return first

    def _hurry(self, steps: Sequence[str]) -> float | None:
        """Seconds in which all of `steps` should be answered, or None where they are asked one by one."""
        return HURRY_SECONDS if self._hurried and len(steps) > 1 and self._joint is None else None

    def _slow_down(self) -> None:
        """Something went wrong at one of several steps: a new worker will show at which, as if nothing had been run."""
        assert self._worker is not None
        first, last = self._loaded, self._worker.printed_before
        self._hurried = False
        self.switched_on |= self._worker.switched_on
        self._worker.close()
        self._keep(self._worker, first, last)
        self.printed_bytes += last - first
        self._worker = None

    def _too_late(self) -> str:
        if self._used < self._limits.total_seconds:
            return f"It did not return within {self._limits.step_seconds:g} seconds."
        return f"It had not returned when the {self._limits.total_seconds:g} seconds of this submission were used up."

    def _give_up(self, due: Sequence[str], results: dict[str, Answer], answer: Answer) -> None:
        """The first step that is due is at fault; with a joint function, there is only the one."""
        self._drop()
        for step in due if self._joint else due[:1]:
            self._given_up[step] = results[step] = answer

    def _ready(self, memory: bool = False) -> bool:
        """Whether a worker with the file loaded stands ready; starts one when there is none."""
        if self._worker is not None:
            return True
        if self._unloadable is not None:
            return False
        if self._used >= self._limits.total_seconds:
            message = (
                f"It was not run: earlier steps used up the {self._limits.total_seconds:g} seconds of this submission."
            )
            self._unloadable = Answer("timeout", message=message)
            return False
        worker = self._worker = self._zygote.worker()
        self._disclosed = {}
        self._sent = {key for key, problem in worker.ahead.items() if problem is self._numbered(key)}
        if self._interrupt is not None:
            worker.set_interrupt_fd(self._interrupt)
        try:
            with self._spending():
                reply = worker.load(self._files, self._main, memory)
        except DeadlineMissed:
            message = (
                f"The file itself did not finish running within {self._limits.import_seconds:g} seconds: "
                "is there a loop outside the functions?"
            )
            self._unloadable = Answer("timeout", message=message)
        except (WorkerLost, WireError) as error:
            self._unloadable = Answer("crashed", message=f"While the file was being run: {error}")
        else:
            if reply["op"] == "failed":
                self._unloadable = Answer(reply["outcome"], message=reply["message"], line=reply["line"])
            else:
                self.functions, self.note = tuple(reply["functions"]), reply["note"]
                self._loaded = worker.printed_bytes
        if self._unloadable is not None:
            self._drop()
            return False
        return True

    def _drop(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._collect(self._worker)
            self._worker = None

    def _collect(self, worker: WorkerProcess, first: int = 0) -> None:
        """Keeps what a closed worker printed, from its byte number `first` on, and what it said of autograd."""
        self.switched_on |= worker.switched_on
        self._keep(worker, first, len(worker.printed))
        self.printed_bytes += worker.printed_bytes - first

    def _keep(self, worker: WorkerProcess, first: int, last: int) -> None:
        """Adds what a worker printed between two bytes, as far as there is room."""
        self.spans += cut(worker.spans, first, last, len(self.printed) - first)
        self.printed = (self.printed + bytes(worker.printed[first:last]))[: self._limits.output_bytes]


def end_of_guess(plan: Sequence[Stage], at: int, known: Collection[str]) -> int:
    """The number of the first stage after `at` that needs more than what stages from `at` on will have answered."""
    answered: set[str] = set()
    for number, stage in enumerate(plan):
        if number > at and not answered.issuperset("d" + name for name in stage.upstream.names):
            return number
        answered |= set(stage.steps) - set(known) if number >= at else set(stage.steps)
    return len(plan)


def is_exactly(answer: Answer, reference: Tensor) -> bool:
    """Whether they are the same bit for bit: whoever is fed the one is fed the other."""
    tensor = answer.tensor
    if tensor is None or tensor.dtype != reference.dtype or tensor.shape != reference.shape:
        return False
    return torch.equal(tensor.view(WHOLE[tensor.dtype]), reference.view(WHOLE[tensor.dtype]))


def is_nearly(tensor: Tensor, reference: Tensor) -> bool:
    """Whether they have the same shape, and the same numbers to about three digits."""
    if tensor.shape != reference.shape or not tensor.is_floating_point():
        return False
    return float(torch.dist(tensor, reference.to(tensor.dtype))) <= 1e-3 * float(torch.linalg.vector_norm(reference))


WHOLE = {torch.float32: torch.int32, torch.float64: torch.int64}
"""Integers of the same size: compared as these, zeros of either sign differ, and NaN is NaN."""

APART = 1_000_000
"""The first number of a student's own problems."""
FREE_SECONDS = 5.0
"""Processor time for judging a submission that is not its own. A right one takes a hundredth of it."""
HURRY_SECONDS = 1.0
"""How long many steps on many problems may take before they are asked one by one. Two hundred take 20 milliseconds."""
