"""A student's functions with one small change each, run in a worker: for naming a slip, never for a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grader.answer import Answer
from grader.diagnosis.edits import Edit, Known
from grader.grading.student import Student
from grader.problem import Problem
from grader.sandbox.joint import Joint
from grader.source_reader import ReadingFailed, ReadingStopped, source_reader

SECONDS = 1.0
"""Waiting time for the trials of one function."""
MOST_TRIED = 8
"""Functions of one file that are tried."""
NAME = "changed_"
"""How a changed function's name begins; its number follows."""


class FileTrials:
    """Trials on the file of `student`. What an unreadable file is made of is not known, and nothing is tried on it."""

    def __init__(self, student: Student, source: bytes, functions: Iterable[str]) -> None:
        self._student, self._source, self._functions = student, source, tuple(functions)
        self._contents: Mapping[str, Any] | None = None
        self._tried: dict[str, tuple[list[Edit], Student | None]] = {}
        self._answers: dict[tuple[int, int], Mapping[str, Answer]] = {}

    def contents(self, function: str) -> Mapping[str, Any] | None:
        """What a function is made of, see edits.contents_of; None where that is not known."""
        if self._contents is None:
            try:
                self._contents = source_reader().contents_of(self._source, self._functions)
            except (ReadingStopped, ReadingFailed):
                self._contents = {}
        return self._contents.get(function)

    def edits(self, function: str, known: Known) -> Sequence[Edit]:
        if function not in self._tried and len(self._tried) >= MOST_TRIED:
            return []
        if function not in self._tried:
            self._tried[function] = self._made(function, known)
        return self._tried[function][0]

    def answers(self, step: str, problem: Problem, numbers: Sequence[int]) -> Mapping[int, Answer]:
        joint = self._student.joint
        _, student = self._tried[step if joint is None else joint.name]
        if student is None:
            return {}
        if joint is None:
            names = {f"{NAME}{number}": number for number in numbers}
            return {names[name]: answer for name, answer in student.run_steps(problem, list(names)).items()}
        result = {}
        for number in numbers:
            key = (id(problem), number)
            if key not in self._answers:
                called = Joint(f"{NAME}{number}", joint.returns)
                self._answers[key] = student.run_steps(problem, self._student.steps, called)
            result[number] = self._answers[key][step]
        return result

    def close(self) -> None:
        for _, student in self._tried.values():
            if student is not None:
                student.close()

    def _made(self, function: str, known: Known) -> tuple[list[Edit], Student | None]:
        try:
            edits, texts = source_reader().edits_of(self._source, function, NAME, known)
        except (ReadingStopped, ReadingFailed):
            return [], None
        if not edits:
            return [], None
        steps = [f"{NAME}{number}" for number in range(len(edits))]
        return edits, self._student.extended("\n\n".join(texts).encode("utf-8", "replace"), steps, SECONDS)
