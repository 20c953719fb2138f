"""A student's functions with one small change each, run in a worker: for naming a slip, never for a verdict."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from grader.calling.answer import Answer
from grader.calling.protocol import CallRequest
from grader.calling.steps import Joint
from grader.calling.target import Target
from grader.reference.problem import Problem
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student
from grader.sandbox.workers.waiting import TimeAccount
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader
from grader.verdict.explain.edits.changed_functions import Edit, edits_of
from grader.verdict.explain.edits.coded_changes import Known
from grader.verdict.explain.edits.contents import contents_of


class RenamedTarget(RemoteTarget):
    """A student's functions, one of them under another name, called outside the verdict."""

    def __init__(self, student: Student, time: TimeAccount, function: str, name: str) -> None:
        super().__init__(student)
        self._time, self._function, self._name = time, function, name

    def perform(self, request: CallRequest) -> Answer:
        name, *uses = (self._name if each == self._function else each for each in (request.name, *request.uses))
        with self._student.aside(self._time):
            return super().perform(replace(request, name=name, uses=uses))


class FileTrials:
    """Trials on the file of `student`. What an unreadable file is made of is not known, and nothing is tried on it.

    Changed functions are defined next to the student's own, in the same worker: all verdicts are known by then.
    """

    def __init__(self, student: Student, source: bytes) -> None:
        self._student = student
        self._time = student.zygote.account(student.zygote.limits.total_seconds)
        self._text = source.decode("utf-8-sig", errors="replace")
        self._contents: dict[str, Mapping[str, Any] | None] = {}
        self._edits: dict[str, list[Edit]] = {}
        self._numbers = itertools.count()
        self._prefixes: dict[str, str] = {}  # {function: how the names of its changed ones begin}
        self._suspected: dict[str, tuple[str, frozenset[str]]] = {}  # {function: what decides which lines come first}
        self._answers: dict[tuple[int, str], Mapping[str, Answer]] = {}

    def contents(self, function: str) -> Mapping[str, Any] | None:
        """What a function is made of, see contents_of; None where that is not known."""
        if function not in self._contents:
            self._contents[function] = None
            with suppress(ReadingStopped, ReadingFailed):
                self._contents[function] = source_reader().call(contents_of, self._text, [function]).get(function)
        return self._contents[function]

    def edits(self, function: str, known: Known) -> Sequence[Edit]:
        suspected = (known.wrong or "", frozenset(known.right))
        if function not in self._edits or (known.wrong is not None and self._suspected[function] != suspected):
            self._suspected[function] = suspected
            self._edits[function] = self._define_edits(function, known)
        return self._edits[function]

    def _define_edits(self, function: str, known: Known) -> list[Edit]:
        """Find the edits, and define the changed functions."""
        joint = self._student.joint
        if known.returned and joint is not None and joint.name == function:
            known = replace(known, returned=joint.returns)  # in the order of the tuple
        prefix = self._prefixes[function] = f"changed_{next(self._numbers)}_"
        try:
            found, texts = source_reader().call(edits_of, self._text, function, prefix, known)
        except (ReadingStopped, ReadingFailed):
            return []
        if texts and not self.ran_out:
            with self._student.aside(self._time):
                self._student.define("\n\n".join(texts))
        return [Edit(**each) for each in found]

    def answers(self, step: str, problem: Problem, numbers: Sequence[int]) -> Mapping[int, Answer]:
        joint = self._student.joint
        prefix = self._prefixes[step if joint is None else joint.name]
        if self.ran_out:
            return {}
        if joint is None:
            names = {f"{prefix}{number}": number for number in numbers}
            with self._student.aside(self._time):
                answers = self._student.run_steps(problem, list(names))
            return {names[name]: answer for name, answer in answers.items()}
        result = {}
        for number in numbers:
            key = id(problem), f"{prefix}{number}"
            if key not in self._answers:
                with self._student.aside(self._time):
                    called = Joint(key[1], joint.returns)
                    self._answers[key] = self._student.run_steps(problem, self._student.steps, called)
            result[number] = self._answers[key][step]
        return result

    def target(self, function: str, number: int) -> Target | None:
        if self.ran_out:
            return None
        return RenamedTarget(self._student, self._time, function, f"{self._prefixes[function]}{number}")

    def operators(self, step: str, problem: Problem) -> int:
        return self._student.run_traced(problem, step).operators

    @property
    def ran_out(self) -> bool:
        """Whether the time that guards against functions that hang is used up. Then nothing more is tried."""
        return self._time.is_used_up
