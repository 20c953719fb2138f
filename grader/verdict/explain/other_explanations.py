"""Explanations of a wrong gradient that need the student's other gradients, or further calls of the step."""

from __future__ import annotations

from collections.abc import Sequence

from grader.lesson.lesson import Item, Lesson
from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.known import gives, is_gradient_of
from grader.verdict.explain.probes import explain_by_probes
from grader.verdict.explain.readings.properties import broken_property
from grader.verdict.explain.results import one_to_one
from grader.verdict.explain.wrong_answer import wrong_gradient
from grader.verdict.judge.runner import StepRunner

MAX_GRADIENTS_LISTED = 10
"""Gradients of one function that a message lists."""


def explain_changed_places(
    student: StepRunner, item: Item, gradients: Sequence[Item], problems: Sequence[Problem]
) -> Explanation | None:
    """Explain two gradients of which each has the value of the other, or several that are returned in another order."""
    targets = {each.name: each.target for each in gradients if each.target is not None}

    def found_in(name: str) -> str | None:
        """The value whose gradient is in the place of `name`."""
        return next((t for t in targets.values() if is_gradient_everywhere(student, name, problems, t)), None)

    place = found_in(item.name)
    other = next((name for name, target in targets.items() if target == place), None)
    instead = found_in(other) if other is not None else None
    if place is None or place == item.target or other is None or instead in (None, place):
        return None
    if instead == item.target:
        return two_changed_places(item, other, place)
    if item.function == item.name:
        return None
    return Explanation(
        "changed_places",
        f"Your `{item.name}` is exactly the gradient of `{place}`, and your `{other}` that of `{instead}`. In which "
        f"order does `{item.function}` return its gradients?",
    )


def two_changed_places(item: Item, other: str, instead: str) -> Explanation:
    """The gradient `other` is that of the item's value, and the item's gradient that of the value `instead`."""
    return Explanation(
        "changed_places",
        f"Your `{item.name}` is exactly the gradient of `{instead}`, and your `{other}` that of `{item.target}`: the "
        "two have changed places.",
    )


def explain_other_order(
    student: StepRunner, item: Item, lesson: Lesson, named: Explanation | None, problems: Sequence[Problem]
) -> Explanation | None:
    """Explain right gradients in the wrong places: all that a function returns are there, each once.

    A known mistake that is `named` is kept where it explains every gradient that is in another place.
    """
    targets = {each.name: each.target for each in lesson.gradients if each.target and each.function == item.function}

    def fitting(name: str) -> list[str]:
        return [target for target in targets.values() if is_gradient_everywhere(student, name, problems, target)]

    if len(targets) < 2 or not fitting(item.name):
        return None
    order = one_to_one({name: fitting(name) for name in targets})
    moved = [name for name, target in order.items() if target != targets[name]]
    zero = {each.target for each in lesson.gradients if each.earned_with}
    telling = [name for name in moved if order[name] not in zero]
    if item.name not in moved or (
        named is not None and named.known and explains_all(student, named, telling, lesson, problems)
    ):
        return None
    instead = order[item.name]
    other = next(name for name, target in targets.items() if target == instead)
    if order[other] == item.target:
        return two_changed_places(item, other, instead)
    listed = moved if len(moved) <= MAX_GRADIENTS_LISTED else [item.name]
    return Explanation(
        "changed_places",
        f"Your `{item.name}` is exactly the gradient of `{instead}`. The gradients are right, but in other places: "
        f"`{item.function}` returns {', '.join(f'd{order[name]}' for name in listed)} for {', '.join(listed)}.",
    )


def explains_all(
    student: StepRunner, named: Explanation, names: Sequence[str], lesson: Lesson, problems: Sequence[Problem]
) -> bool:
    """Whether a known mistake gives all these gradients."""
    mistakes = [mistake for mistake in lesson.wrong_formulas if mistake.id == named.id]
    cases = {name: [(problem, student.answers(problem)[name]) for problem in problems] for name in names}
    return all(any(m.gradient == name and gives(m, cases[name]) for m in mistakes) for name in names)


def is_gradient_everywhere(student: StepRunner, step: str, problems: Sequence[Problem], target: str) -> bool:
    return all(is_gradient_of(student.answers(p).get(step), p, target) for p in problems)


def targets_that_pass(student: StepRunner, gradients: Sequence[Item], problems: Sequence[Problem]) -> list[str]:
    """The values whose gradients are right on all problems, without those that are zero without any work."""
    return [
        each.target
        for each in gradients
        if each.target is not None and not each.earned_with
        if is_gradient_everywhere(student, each.name, problems, each.target)
    ]


def explain_by_properties(student: StepRunner, item: Item, problems: Sequence[Problem]) -> Explanation | None:
    """Explain an answer that is wrong on every problem, and that no formula fits, by what a gradient would have."""
    assert item.target is not None
    cases = [(problem, student.answers(problem)[item.name]) for problem in problems if not problem.draw.note]
    wrong = wrong_gradient(item.target, cases)
    if wrong is None or any(wrong.equals(number, expected) for number, expected in enumerate(wrong.expected)):
        return None
    return broken_property(wrong) or explain_by_probes(student, item.name, [problem for problem, _ in cases])
