"""One student's steps on problems: workers started, restarted after a crash or a missed deadline, answers kept."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from grader.answer import Answer
from grader.calling import Called
from grader.grading.sending import packed, send, send_chain
from grader.policy.static_check import Finding
from grader.problem import Problem
from grader.sandbox.client import ZygoteProcess
from grader.sandbox.endings import DeadlineMissed, WorkerLost
from grader.sandbox.joint import Joint
from grader.sandbox.wire import WireError
from grader.sandbox.worker_process import WorkerProcess


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
    ) -> None:
        """`interrupt` is a descriptor: once it is readable, every method that waits raises Interrupted.

        `problems` are some that workers may have been sent beforehand, numbered in this order (`send_ahead`); else they
        are numbered as the zygote's are.
        """
        self._zygote, self._files, self._main, self.steps = zygote, files, main, tuple(steps)
        self._limits, self._joint, self._interrupt = zygote.limits, joint, interrupt
        self._worker: WorkerProcess | None = None
        self._sent: set[int] = set()
        self._answers: dict[int, dict[str, Answer]] = {}
        self._watched: dict[tuple[int, str], Answer] = {}
        self.coarse: set[str] = set()  # steps that were seen to compute float64 in float32
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
        self._spent = 0.0  # seconds waited for this submission; what the trusted side does in between is not its time
        self.functions: tuple[str, ...] = ()
        self.note = ""  # why the file stopped before its end, if it did
        self.switched_on = False  # one of its workers said that PyTorch differentiates again
        self.printed, self.printed_bytes = b"", 0

    @property
    def heard(self) -> bytes:
        """What the file and its steps have printed up to now."""
        return self.printed + (bytes(self._worker.printed) if self._worker else b"")

    @property
    def load_failure(self) -> Answer | None:
        """What went wrong when the file was run, if it did; the same answer then stands for every step."""
        self._ready()
        return self._unloadable

    def answers(self, problem: Problem) -> dict[str, Answer]:
        """{step: answer} for every step, each fed the problem's own upstream gradients."""
        key = self._number(problem)
        if key not in self._answers:
            self._answers[key] = self._run(key, problem, self.steps)
        return self._answers[key]

    def expect(self, problems: Sequence[Problem]) -> None:
        """Says which problems will be asked about: all at once is faster than one after another."""
        due = {self._number(problem): problem for problem in problems}
        due = {key: problem for key, problem in due.items() if key not in self._answers}
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
        """Has the zygote keep them for the workers to come, but none with the true upstream gradients: no reference."""
        for problem in () if self._own_numbers else problems:
            if problem.random_upstream:
                self._zygote.hold(packed(self._number(problem), problem))

    def watched(self, problem: Problem, step: str) -> Answer:
        """The step's answer with its operators counted and float32 noticed, which makes it four times slower."""
        key = self._number(problem)
        if (key, step) not in self._watched:
            answer = self._run(key, problem, self.steps if self._joint else (step,), watched=True)[step]
            self._watched[key, step] = answer
            if answer.low_precision:
                self.coarse.add(step)
        return self._watched[key, step]

    def chain(self, problem: Problem, needs: Mapping[str, Collection[str]]) -> dict[str, Answer]:
        """{step: answer}, each fed the student's own upstream gradients; `needs` says from which steps it is made."""
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
                if key not in self._sent:
                    send_chain(self._worker, key, problem, self.steps)
                with self._spending():
                    asked = self._worker.run(key, runnable, own_needs, self._end, self._joint, hurry=hurry)
                    for step, answer in asked:
                        results[step] = answer
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

    def close(self) -> None:
        self._drop()

    @property
    def _end(self) -> float:
        """When this submission's seconds are used up if they all run from now on."""
        return time.monotonic() + self._limits.total_seconds - self._spent

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
        self._problems.append(problem)
        return len(self._problems) - 1

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
                if key not in self._sent:
                    send(self._worker, key, problem)
                    self._sent.add(key)
                with self._spending():
                    asked = self._worker.run(key, tuple(due), None, self._end, self._joint, watched, hurry)
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
        self.printed = (self.printed + bytes(self._worker.printed[first:last]))[: self._limits.output_bytes]
        self.printed_bytes += last - first
        self._worker = None

    def _too_late(self) -> str:
        if self._spent < self._limits.total_seconds:
            return f"It did not return within {self._limits.step_seconds:g} seconds."
        return f"It had not returned when the {self._limits.total_seconds:g} seconds of this submission were used up."

    def _give_up(self, due: Sequence[str], results: dict[str, Answer], answer: Answer) -> None:
        """The first step that is due is at fault; with a joint function, there is only the one."""
        self._drop()
        for step in due if self._joint else due[:1]:
            self._given_up[step] = results[step] = answer

    def _ready(self) -> bool:
        """Whether a worker with the file loaded stands ready; starts one when there is none."""
        if self._worker is not None:
            return True
        if self._unloadable is not None:
            return False
        if self._spent >= self._limits.total_seconds:
            message = (
                f"It was not run: earlier steps used up the {self._limits.total_seconds:g} seconds of this submission."
            )
            self._unloadable = Answer("timeout", message=message)
            return False
        worker = self._worker = self._zygote.worker()
        self._sent = {key for key, problem in worker.ahead.items() if problem is self._numbered(key)}
        if self._interrupt is not None:
            worker.heed(self._interrupt)
        try:
            with self._spending():
                reply = worker.load(self._files, self._main)
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
            self.switched_on |= self._worker.switched_on
            self._worker.close()
            self.printed = (self.printed + bytes(self._worker.printed))[: self._limits.output_bytes]
            self.printed_bytes += self._worker.printed_bytes
            self._worker = None


HURRY_SECONDS = 1.0
"""How long many steps on many problems may take before they are asked one by one. Two hundred take 20 milliseconds."""
