"""Runners of a file's steps on problems: what judging needs of one, and the course's own files, which run here.

A student's file runs in workers (grader/sandbox/workers/student.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.calling.answer import Answer
from grader.calling.operators import OperatorWatch
from grader.calling.steps import Joint, StepInput, call_steps
from grader.reference.problem import Problem
from grader.source.syntax import WrittenNumber

MAX_FORMULA_OPERATORS = 100_000


@dataclass(frozen=True)
class Terms:
    """What a submission is judged by, besides its numbers.

    Attributes:
        broadcast: a shape that differs in axes of length one only is accepted.
        sizes: {size: its value} of a notebook; None where all sizes have to be right.
        numbers: {row: the numbers in its statements}.
        is_notebook: it is a notebook or script in the lecture's style, whose steps are lines of one text.
    """

    broadcast: bool = False
    sizes: Mapping[str, int] | None = None
    numbers: Mapping[str, Sequence[WrittenNumber]] = field(default_factory=dict)
    is_notebook: bool = False


STRICT = Terms()


class StepRunner:
    """Runs the steps of one file on problems.

    Attributes:
        terms: what the file may write differently from a stub.
        public: the published problem at the file's own sizes, where these differ from the lecture's.
        interrupt: a descriptor; once it is readable, the search for an explanation raises Interrupted.
        right_rows, wrong_rows: once all are judged, the rows that are right, and those that are wrong.
        trials: the file's functions with small changes, for naming a slip (explain's Trials); None without them.
    """

    terms: Terms = STRICT
    public: Problem | None = None
    interrupt: int | None = None
    right_rows: frozenset[str] = frozenset()
    wrong_rows: frozenset[str] = frozenset()
    trials: Any = None

    def answers(self, problem: Problem) -> Mapping[str, Answer]:
        """{step: answer} for every step that is run there. Operators are not counted, float32 is not noticed."""
        raise NotImplementedError

    def run_traced(self, problem: Problem, step: str) -> Answer:
        """The step's answer with its operators counted and float32 noticed, which takes four times as long."""
        raise NotImplementedError

    def chain(self) -> Mapping[str, Answer]:
        """{step: answer} where each step is fed the file's own upstream gradients; empty where these are not run."""
        return {}


class LocalStudent(StepRunner):
    """Runs the steps of one of the course's own files in this process. `functions` are the file's, by name."""

    def __init__(self, functions: Mapping[str, Any], steps: Sequence[str], joint: Joint | None = None) -> None:
        self._functions, self._steps, self._joint = functions, steps, joint
        self._answers: dict[Problem, Mapping[str, Answer]] = {}

    def answers(self, problem: Problem) -> Mapping[str, Answer]:
        if problem not in self._answers:
            self._answers[problem] = self._run(list(filter(problem.draw.asks, self._steps)), problem)
        return self._answers[problem]

    def run_traced(self, problem: Problem, step: str) -> Answer:
        return self._run([step], problem, OperatorWatch(MAX_FORMULA_OPERATORS))[step]

    def _run(self, steps: Sequence[str], problem: Problem, watch: OperatorWatch | None = None) -> Mapping[str, Answer]:
        given = StepInput(problem.given, problem.upstream, problem.dtype, watch=watch)
        return call_steps(self._functions, steps, self._joint, given)
