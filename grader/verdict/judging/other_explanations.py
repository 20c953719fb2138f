"""Explanations of a wrong gradient that need the student's other gradients, or further calls of the step."""

from __future__ import annotations

from collections.abc import Sequence

from grader.calling.answer import Answer
from grader.comparison.tensors import compare
from grader.lesson.lesson import Item
from grader.reference.problem import Problem
from grader.verdict.diagnosis.explanation import Explanation
from grader.verdict.diagnosis.mismatch import gradient_mismatch
from grader.verdict.diagnosis.readings.properties import broken_property
from grader.verdict.judging.probes import explain_by_probes
from grader.verdict.judging.runner import StepRunner


def is_gradient_of(answer: Answer | None, problem: Problem, name: str) -> bool:
    """Whether an answer equals the gradient with respect to `name`."""
    if answer is None or answer.tensor is None or not answer.tensor.is_floating_point():
        return False
    return compare(answer.tensor, problem.reference(name), problem.scale(name)).passed


def explain_changed_places(
    student: StepRunner, item: Item, gradients: Sequence[Item], problems: Sequence[Problem]
) -> Explanation | None:
    """Explain two gradients of which each has the value of the other."""
    step, target = item.name, item.target
    for other in gradients:
        if other.target is None or other.name == step or target is None:
            continue
        pairs = ((other.name, target), (step, other.target))
        if all(is_gradient_of(student.answers(p).get(s), p, t) for p in problems for s, t in pairs):
            return Explanation(
                "changed_places",
                f"Your `{step}` is exactly the gradient of `{other.target}`, and your `{other.name}` that of "
                f"`{target}`: the two have changed places.",
            )
    return None


def explain_by_properties(student: StepRunner, item: Item, problems: Sequence[Problem]) -> Explanation | None:
    """Explain an answer that is wrong on every problem, and that no formula fits, by what a gradient would have."""
    assert item.target is not None
    cases = [(problem, student.answers(problem)[item.name]) for problem in problems if not problem.draw.note]
    wrong = gradient_mismatch(item.target, cases)
    if wrong is None or any(wrong.equals(number, expected) for number, expected in enumerate(wrong.expected)):
        return None
    return broken_property(wrong) or explain_by_probes(student, item.name, [problem for problem, _ in cases])
