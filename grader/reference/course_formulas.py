"""Running the course's own formulas (solutions, variants, known mistakes) in this process: they are trusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.calling.answer import Answer
from grader.calling.operators import OperatorWatch
from grader.calling.steps import Joint, StepInput, call_joint, call_step
from grader.reference.problem import Problem

MAX_FORMULA_OPERATORS = 100_000


def run_formula(function: Callable[..., Any] | None, step: str, problem: Problem, watched: bool = False) -> Answer:
    """Call one of the course's own step functions on one problem, as a student's is called."""
    watch = OperatorWatch(cap=MAX_FORMULA_OPERATORS) if watched else None
    return call_step(function, step, StepInput(problem.given, problem.upstream, problem.dtype, watch=watch))


class LocalStudent:
    """Runs the steps of one of the course's own files in this process. `functions` are the file's, by name."""

    def __init__(self, functions: Mapping[str, Any], steps: Sequence[str], joint: Joint | None = None) -> None:
        self._functions, self._steps, self._joint = functions, steps, joint
        self._answers: dict[Problem, dict[str, Answer]] = {}

    def answers(self, problem: Problem) -> dict[str, Answer]:
        """{step: answer} for every step, each fed the problem's own upstream gradients."""
        if problem not in self._answers:
            self._answers[problem] = self._run(problem)
        return self._answers[problem]

    def prefetch(self, problems: Sequence[Problem]) -> None:
        """Do nothing: a call in this process has no round trip to save."""

    def run_traced(self, problem: Problem, step: str) -> Answer:
        """Run the step again with its operators counted and float32 noticed."""
        if self._joint is None:
            return run_formula(self._functions.get(step), step, problem, watched=True)
        function, watch = self._functions.get(self._joint.name), OperatorWatch(cap=MAX_FORMULA_OPERATORS)
        given = StepInput(problem.given, {}, problem.dtype, watch=watch)
        return call_joint(function, self._joint, [step], given)[step]

    def _run(self, problem: Problem) -> dict[str, Answer]:
        if self._joint is None:
            return {step: run_formula(self._functions.get(step), step, problem) for step in self._steps}
        function = self._functions.get(self._joint.name)
        return call_joint(function, self._joint, self._steps, StepInput(problem.given, {}, problem.dtype))
