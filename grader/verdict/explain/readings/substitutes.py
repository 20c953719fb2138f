"""The forward line's derivative is right, but applied to another tensor: ones, another gradient or another value."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.results.wording import format_shape
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.problem_values import can_expand, computed_once
from grader.verdict.explain.wrong_answer import WrongGradient, euclidean_norm

MIN_ELEMENTS_OF_A_GRADIENT = 3
"""Elements that a gradient needs before it is recognised as that of another value."""

Share = Callable[[Problem], Tensor | None]
"""What a wrong formula gives for the part of the gradient that comes through one consumer."""


def unchanged_upstream(wrong: WrongGradient) -> Iterator[Explanation]:
    """An upstream gradient unchanged, returned or added to the other paths."""
    for consumer in wrong.consumers if wrong.is_whole else ():

        def share(problem: Problem, c: str = consumer) -> Tensor | None:
            arriving, shape = problem.upstream[c].double(), problem.values[wrong.name].shape
            if len(wrong.consumers) == 1:
                return arriving
            return arriving.expand(shape) if can_expand(arriving.shape, shape) else None

        if not holds_with_share(wrong, consumer, share):
            continue
        derivative = f"the derivative of `{consumer}` with respect to `{wrong.name}`"
        needs: tuple[str, ...] = (f"d{consumer}",)
        text = f"You return `d{consumer}` as it came: the upstream gradient still has to be multiplied by {derivative}."
        if len(wrong.consumers) > 1:
            needs = ()
            text = (
                f"In the path through `{consumer}` you use `d{consumer}` as it came. It still has to be multiplied by "
                f"{derivative}: which elements of `{wrong.name}` does `{consumer}` depend on?"
            )
        elif not wrong.same_shape:
            text = (
                f"You return `d{consumer}` as it came: its shape is {format_shape(wrong.found[0].shape)}, and that of "
                f"`{wrong.name}` is {format_shape(wrong.expected[0].shape)}. What makes `{consumer}` out of "
                f"`{wrong.name}`?"
            )
        yield Explanation("local_derivative_missing", text, needs=needs)


def other_gradient(wrong: WrongGradient) -> Iterator[Explanation]:
    """The gradient of another value: two functions, or two entries of what is returned, have changed places."""
    if not wrong.is_whole or wrong.found[0].numel() < MIN_ELEMENTS_OF_A_GRADIENT or is_upstream(wrong):
        return
    if all(f.shape == e.shape and bool(torch.equal(f, e)) for f, e in wrong.pairs):
        return
    if all(euclidean_norm(found) <= wrong.floor(number) for number, found in enumerate(wrong.found)):
        return  # rounding noise is what any gradient of zero looks like
    if all(found.numel() < 2 or bool((found == found.flatten()[0]).all()) for found in wrong.found):
        return  # ones are the gradient of everything that a sum alone reads
    for other in wrong.problems[0].graph.names:
        if other != wrong.name and wrong.holds(lambda problem, _, o=other: gradient_of(problem, o)):  # type: ignore[misc]
            yield Explanation(
                "other_gradient",
                f"Your `d{wrong.name}` is exactly the gradient of `{other}`. Read the forward line that uses "
                f"`{wrong.name}` again: what is done with it there?",
            )
            return


def is_upstream(wrong: WrongGradient) -> bool:
    """Whether the answer is an upstream gradient unchanged."""
    return wrong.problems[0].random_upstream and any(
        wrong.holds(lambda problem, _, n=name: problem.upstream[n].double())  # type: ignore[misc]
        for name in wrong.problems[0].graph.names
    )


def gradient_of(problem: Problem, name: str) -> Tensor | None:
    """The gradient of a value that a student writes, in float64; None for one that nothing is computed from."""
    if not problem.graph.consumers.get(name):
        return None
    return computed_once(problem, ("gradient", name), lambda: problem.reference(name).double())


def upstream_forgotten(wrong: WrongGradient) -> Iterator[Explanation]:
    """The local derivative alone, as if the upstream gradient were ones."""
    for consumer in consumers_of_whole(wrong):

        def share(problem: Problem, c: str = consumer) -> Tensor:
            return computed_once(
                problem,
                ("ones", wrong.name, c),
                lambda: vjp_through(problem, wrong.name, c, torch.ones_like(problem.upstream[c])),
            )

        if has_upstream(wrong, consumer) and holds_with_share(wrong, consumer, share):
            is_read = "d" + consumer in wrong.uses
            how = f"comes out as if `d{consumer}` were all ones" if is_read else f"does not use `d{consumer}`"
            yield Explanation(
                "upstream_forgotten",
                f"Your `d{wrong.name}` {how}: it is the local derivative of `{consumer}` alone. The chain rule "
                f"multiplies it by the upstream gradient `d{consumer}`.",
            )


def has_upstream(wrong: WrongGradient, consumer: str) -> bool:
    """False for the loss, whose upstream gradient is one."""
    upstream = [(p.upstream[consumer], p.graph.consumers[consumer]) for p in wrong.problems]
    return all(gradient.ndim > 0 or consumers or float(gradient) != 1 for gradient, consumers in upstream)


def wrong_upstream(wrong: WrongGradient) -> Iterator[Explanation]:
    """Another value's upstream gradient of the same shape in place of the consumer's own."""
    first = wrong.problems[0]
    for consumer in consumers_of_whole(wrong):
        shape = first.upstream[consumer].shape
        others = [n for n in first.graph.names if n != consumer and first.upstream[n].shape == shape]
        for other in [n for n in others if "d" + n in wrong.uses] if wrong.uses else others:

            def share(problem: Problem, c: str = consumer, o: str = other) -> Tensor | None:
                if problem.upstream[o].shape != problem.upstream[c].shape:
                    return None
                return computed_once(
                    problem,
                    ("other", wrong.name, c, o),
                    lambda: vjp_through(problem, wrong.name, c, problem.upstream[o]),
                )

            if holds_with_share(wrong, consumer, share):
                yield Explanation(
                    "wrong_upstream",
                    f"You use `d{other}` where `d{consumer}` belongs: `{wrong.name}` is read in the line of "
                    f"`{consumer}`, so what comes back through that line is `{consumer}`'s gradient.",
                    needs=(f"d{other}",),
                )


def consumers_of_whole(wrong: WrongGradient) -> tuple[str, ...]:
    """The consumers; none for a part of a gradient, or where the shape is wrong."""
    return wrong.consumers if wrong.is_whole_in_shape else ()


def holds_with_share(wrong: WrongGradient, consumer: str, share: Share) -> bool:
    """Whether the answer is right except for `share` in place of what comes through `consumer`, on every problem."""
    is_only = len(wrong.consumers) == 1

    def formula(problem: Problem, expected: Tensor) -> Tensor | None:
        tensor = share(problem)
        if tensor is None or is_only:
            return tensor
        return expected - problem.branches(wrong.name)[consumer].double() + tensor

    return wrong.holds(formula)


def vjp_through(problem: Problem, name: str, consumer: str, upstream: Tensor) -> Tensor:
    """What an upstream gradient of `consumer` gives for d`name`, in float64."""
    return problem.graph.vjp(consumer, upstream)[name].double()
