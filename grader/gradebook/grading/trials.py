"""A student's functions with one small change each, run in a worker: for naming a slip, never for a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from grader.calling.answer import Answer
from grader.calling.protocol import CallRequest
from grader.calling.steps import Joint
from grader.calling.target import Target
from grader.lesson.paths import BACKWARD_FILE
from grader.reference.problem import Problem
from grader.sandbox.workers.remote_target import RemoteTarget
from grader.sandbox.workers.student import Student
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader
from grader.verdict.explain.edits.changed_functions import Edit, edits_of
from grader.verdict.explain.edits.coded_changes import Known
from grader.verdict.explain.edits.contents import contents_of

CHANGED_PREFIX = "changed_"
"""How a changed function's name begins; its number follows."""


class RenamedTarget(RemoteTarget):
    """A student's functions, one of them under another name."""

    def __init__(self, student: Student, function: str, name: str) -> None:
        super().__init__(student)
        self._function, self._name = function, name

    def perform(self, request: CallRequest) -> Answer:
        name, *uses = (self._name if each == self._function else each for each in (request.name, *request.uses))
        return super().perform(replace(request, name=name, uses=uses))


class FileTrials:
    """Trials on the file of `student`. What an unreadable file is made of is not known, and nothing is tried on it."""

    def __init__(self, student: Student, source: bytes) -> None:
        self._student = student
        self._time = student.zygote.account(student.zygote.limits.total_seconds)
        self._text = source.decode("utf-8-sig", errors="replace")
        self._contents: dict[str, Mapping[str, Any] | None] = {}
        self._workers: dict[str, tuple[list[Edit], Student | None]] = {}
        self._suspected: dict[str, tuple[str, frozenset[str]]] = {}  # {function: what decides which lines come first}
        self._answers: dict[tuple[int, int], Mapping[str, Answer]] = {}
        self.is_postponed = False  # for now, nothing is tried
        self.was_postponed = False  # something would have been tried

    def contents(self, function: str) -> Mapping[str, Any] | None:
        """What a function is made of, see contents_of; None where that is not known."""
        if function not in self._contents:
            self._contents[function] = None
            with suppress(ReadingStopped, ReadingFailed):
                self._contents[function] = source_reader().call(contents_of, self._text, [function]).get(function)
        return self._contents[function]

    def edits(self, function: str, known: Known) -> Sequence[Edit]:
        if self.is_postponed:
            self.was_postponed = True
            return []
        suspected = (known.wrong or "", frozenset(known.right))
        if function not in self._workers or (known.wrong is not None and self._suspected[function] != suspected):
            self._suspected[function] = suspected
            self._answers.clear()
            self._workers[function] = self._find_edits(function, known)
        return self._workers[function][0]

    def answers(self, step: str, problem: Problem, numbers: Sequence[int]) -> Mapping[int, Answer]:
        joint = self._student.joint
        _, student = self._workers[step if joint is None else joint.name]
        if student is None or self.ran_out:
            return {}
        if joint is None:
            names = {f"{CHANGED_PREFIX}{number}": number for number in numbers}
            return {names[name]: answer for name, answer in student.run_steps(problem, list(names)).items()}
        result = {}
        for number in numbers:
            key = (id(problem), number)
            if key not in self._answers:
                called = Joint(f"{CHANGED_PREFIX}{number}", joint.returns)
                self._answers[key] = student.run_steps(problem, self._student.steps, called)
            result[number] = self._answers[key][step]
        return result

    def target(self, function: str, number: int) -> Target | None:
        _, student = self._workers[function]
        if student is None or self.ran_out:
            return None
        return RenamedTarget(student, function, f"{CHANGED_PREFIX}{number}")

    def operators(self, step: str, problem: Problem) -> int:
        return self._student.run_traced(problem, step).operators

    @property
    def ran_out(self) -> bool:
        """Whether the time that guards against functions that hang is used up. Then nothing more is tried."""
        return self._time.is_used_up

    def close(self) -> None:
        for _, student in self._workers.values():
            if student is not None:
                student.close()

    def _find_edits(self, function: str, known: Known) -> tuple[list[Edit], Student | None]:
        """The edits, and a worker that has the changed functions. Ends the worker of the edits before."""
        if known.returned and self._student.joint is not None:
            known = replace(known, returned=self._student.joint.returns)  # in the order of the tuple
        try:
            found, texts = source_reader().call(edits_of, self._text, function, CHANGED_PREFIX, known)
        except (ReadingStopped, ReadingFailed):
            return [], None
        edits = [Edit(**each) for each in found]
        if not edits or self.ran_out:
            return edits, None
        self.close()
        steps = [f"{CHANGED_PREFIX}{number}" for number in range(len(edits))]
        own = self._student.files[BACKWARD_FILE]
        changed = b"\n\n\n".join([own, "\n\n".join(texts).encode("utf-8", "replace")]) + b"\n"
        files = {**self._student.files, BACKWARD_FILE: changed}
        return edits, replace(self._student, files=files, steps=steps, account=self._time)
