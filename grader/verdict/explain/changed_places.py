"""Right gradients in the places of others: two that have changed places, or all that a function returns."""

from __future__ import annotations

from collections.abc import Sequence

from grader.lesson.lesson import Item, Lesson
from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.known import is_gradient_of
from grader.verdict.judge.runner import StepRunner

MAX_GRADIENTS_LISTED = 10
"""Gradients of one function that a message lists."""


def is_gradient_everywhere(student: StepRunner, step: str, problems: Sequence[Problem], target: str) -> bool:
    return all(is_gradient_of(student.answers(p).get(step), p, target) for p in problems)


def gradients_in_other_places(
    student: StepRunner, item: Item, lesson: Lesson, problems: Sequence[Problem]
) -> tuple[Explanation, list[str]] | None:
    """Explain two gradients of which each has the value of the other, or all that a function returns in another order.

    With the explanation, the names of the gradients that are in other places.
    """
    is_alone = item.function == item.name
    own = {g.name: g.target for g in lesson.gradients if g.target and (is_alone or g.function == item.function)}

    def found_in(name: str) -> str | None:
        """The value whose gradient is in the place of `name`: its own, where several are equal."""
        targets = dict.fromkeys([own[name], *own.values()])
        return next((t for t in targets if is_gradient_everywhere(student, name, problems, t)), None)

    instead = found_in(item.name) if item.name in own else None
    other = next((name for name, target in own.items() if target == instead), item.name)
    if other == item.name:
        return None
    start = f"Your `{item.name}` is exactly the gradient of `{instead}`"
    if is_gradient_everywhere(student, other, problems, own[item.name]):
        text = f"{start}, and your `{other}` that of `{item.target}`: the two have changed places."
        return Explanation("changed_places", text), [item.name, other]
    order = {} if is_alone else {name: found_in(name) for name in own}
    if not order or len({*order.values()} - {None}) < len(own):
        return None
    moved = [name for name, target in order.items() if target != own[name]]
    listed = moved if len(moved) <= MAX_GRADIENTS_LISTED else [item.name]
    text = (
        f"{start}. The gradients are right, but in other places: `{item.function}` returns "
        f"{', '.join(f'd{order[name]}' for name in listed)} for {', '.join(listed)}."
    )
    return Explanation("changed_places", text), moved
