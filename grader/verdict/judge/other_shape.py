"""Right numbers in a shape that differs from the value's in axes of length one only, as broadcasting allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.calling.answer import Answer
from grader.comparison.tensors import differs_in_ones
from grader.reference.problem import Problem
from grader.results.wording import format_shape
from grader.verdict.judge.runner import StepRunner


def in_other_shape(student: StepRunner, step: str, problem: Problem) -> Sequence[int] | None:
    """The shape of the student's answer, where it differs from the value's in axes of length one only."""
    answer = student.answers(problem)[step].tensor
    differs = answer is not None and differs_in_ones(answer.shape, problem.values[step[1:]].shape)
    return answer.shape if differs and answer is not None else None


def reshape_answer(answer: Answer, problem: Problem, step: str) -> Answer:
    """The answer in its value's shape, where it differs in axes of length one only."""
    if answer.tensor is None or not differs_in_ones(answer.tensor.shape, problem.values[step[1:]].shape):
        return answer
    return answer._replace(tensor=answer.tensor.reshape(problem.values[step[1:]].shape))


class ReshapedRunner:
    """A student whose answers to `step` have their value's shape, where only axes of length one are missing."""

    def __init__(self, student: StepRunner, step: str) -> None:
        self.student, self._step = student, step
        self.trials = getattr(student, "trials", None)

    def answers(self, problem: Problem) -> Mapping[str, Answer]:
        return {self._step: reshape_answer(self.student.answers(problem)[self._step], problem, self._step)}

    def prefetch(self, problems: Sequence[Problem]) -> None:
        self.student.prefetch(problems)

    def run_traced(self, problem: Problem, step: str) -> Answer:
        return reshape_answer(self.student.run_traced(problem, step), problem, step)


def shape_remark(step: str, shape: Sequence[int], expected: Sequence[int]) -> str:
    """A note on right numbers in another shape."""
    effect = (
        "Broadcasting hides the difference."
        if list(expected) == [1] * (len(expected) - len(shape)) + list(shape)
        else "Lines that use it may broadcast it differently."
    )
    return (
        f"The numbers are right. `{step}` has shape {format_shape(tuple(shape))}, `{step[1:]}` has shape "
        f"{format_shape(tuple(expected))}. {effect}"
    )
