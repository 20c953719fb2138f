"""Wrong formulas of a gradient, as candidates: another sum, another shape, another upstream gradient, another value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.results.wording import format_shape
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import AVERAGES, KEEPDIM, SUMS
from grader.verdict.explain.problem_values import can_expand, computed_once
from grader.verdict.explain.wrong_answer import FEW_NUMBERS, WrongAnswer, WrongFormula, WrongGradient, euclidean_norm

# Sums ----------------------------------------------------------------------------------------------------------------


def wrong_sum(wrong: WrongGradient) -> Iterator[WrongFormula]:
    """For each consumer that broadcasts the value: another reduction of its part than the sum that belongs there."""
    name, small = wrong.name, wrong.problems[0].values[wrong.name].shape
    unreduced = [computed_once(p, ("unreduced", name), partial(p.unreduced, name)) for p in wrong.problems]
    for consumer, whole in unreduced[0].items():

        def by(reduce: Callable[[Tensor], Tensor], c: str = consumer) -> Callable[[int], Tensor | None]:
            return lambda number: gradient_with(wrong.problems[number], name, c, unreduced[number].get(c), reduce)

        shape = whole.shape
        what = f"`{name}` {format_shape(small)} is broadcast to {format_shape(shape)} in `{consumer}`"
        lacking = len(shape) - len(small)
        copied = [axis for axis in range(len(shape)) if axis < lacking or small[axis - lacking] != shape[axis]]
        forgotten = "A broadcast forward is a sum backward, over the axis along which it was copied."
        yield WrongFormula("sum_missing", f"The sum is missing: {what}. {forgotten}", by(lambda u: u))
        for axis in range(len(shape)):
            identifier, text = "wrong_axis", f"{what}, and of these axes you sum over axis {axis}. Sum over the axis"
            if axis in copied:
                identifier, text = "sum_missing", f"{what}, and of these axes you sum over axis {axis} only. Sum over"
                text += " every axis"
            average = f"You take the mean over axis {axis} where a sum belongs: {what}; every copy counts in full."
            for keep in (False, True):
                total, mean = (by(partial(f, dim=axis, keepdim=keep)) for f in (torch.sum, torch.mean))
                if copied != [axis]:
                    yield WrongFormula(identifier, f"{text} along which it was copied.", total, (SUMS,))
                yield WrongFormula("mean_for_sum", average, mean, (AVERAGES,))


def gradient_with(
    problem: Problem, name: str, consumer: str, whole: Tensor | None, reduce: Callable[[Tensor], Tensor]
) -> Tensor | None:
    """d`name` with the `whole` part of one consumer reduced in another way; None where the other parts do not fit."""
    if whole is None:
        return None
    try:
        result = reduce(whole)
        for other, share in problem.branches(name).items():
            result = result if other == consumer else result + share
        return result
    except RuntimeError:
        return None


def sum_still_missing(wrong: WrongAnswer) -> Iterator[Explanation]:
    """The right answer, once what was found is summed over an axis, or over all that it has in front."""
    extra = wrong.found[0].ndim - wrong.expected[0].ndim
    in_front = [tuple(range(extra))] if extra > 1 else []
    is_zero = not any(bool(expected.any()) for expected in wrong.expected)
    for axes in [] if wrong.same_shape or is_zero else [*range(min(f.ndim for f in wrong.found)), *in_front]:
        for keep in (False, True):
            sums = [found.sum(dim=axes, keepdim=keep) for found in wrong.found]
            if all(wrong.equal(number, total, wrong.expected[number]) for number, total in enumerate(sums)):
                over = f"axis {axes}" if isinstance(axes, int) else f"the first {extra} axes"
                text = f"{wrong.what} still needs a sum over {over}: its shape is {found_and_right_shape(wrong)}."
                yield Explanation("sum_missing", text)
                return


def not_broadcast(wrong: WrongGradient) -> Iterator[Explanation]:
    """The right numbers once, where they are needed several times."""
    if all(
        found.numel() < e.numel() and can_expand(found.shape, e.shape) and wrong.equal(n, found.expand(e.shape), e)
        for n, (found, e) in enumerate(wrong.pairs)
    ):
        found, expected = (format_shape(tensor.shape) for tensor in wrong.pairs[0])
        yield Explanation(
            "not_broadcast",
            f"Your result has shape {found} and the right numbers. But `{wrong.name}` is {expected}, and each of its "
            "elements has a gradient of its own: a sum forward is a broadcast backward, as by `.expand_as(...)`.",
        )


# Shapes --------------------------------------------------------------------------------------------------------------


def found_and_right_shape(wrong: WrongAnswer) -> str:
    """The shape that was found on the first problem, and the one that is right."""
    found, expected = (format_shape(tensor.shape) for tensor in wrong.pairs[0])
    if isinstance(wrong, WrongGradient):
        return f"{found} where `{wrong.name}` is {expected}"
    return f"{found} where {expected} is expected"


def wrong_shape(wrong: WrongAnswer) -> Iterator[WrongFormula]:
    """The right numbers in the right order, with an axis of one too many or too few, or in another shape altogether."""
    found, expected = wrong.found[0], wrong.expected[0]
    if any(f.shape == e.shape or f.numel() != e.numel() for f, e in wrong.pairs):
        return
    identifier, needs, shapes = "keepdim", tuple[str, ...](), found_and_right_shape(wrong)
    text = f"The numbers of {wrong.it} are right, their shape is not: {shapes}."
    differs_in_ones = [n for n in found.shape if n != 1] == [n for n in expected.shape if n != 1]
    if isinstance(wrong, WrongGradient):
        reshape = f"`.reshape` to the shape of `{wrong.name}`"
        advice = f"{reshape} makes it right"
        if not differs_in_ones:
            identifier, advice = "not_reshaped", f"undo what the forward line did to the shape ({reshape})"
        elif found.ndim < expected.ndim:
            needs, advice = (KEEPDIM,), "sum with `keepdim=True`"
        text = f"The numbers are right, the shape is not: {shapes}; {advice}."
        text += " Broadcasting hides this in a comparison, and hurts later." if differs_in_ones else ""
    elif not differs_in_ones:
        return
    yield WrongFormula(identifier, text, lambda n: wrong.expected[n].reshape(wrong.found[n].shape), needs)


def transposed(wrong: WrongAnswer) -> Iterator[WrongFormula]:
    """The right answer with one of its axes in reverse order, or with two of them swapped."""
    ndim = wrong.expected[0].ndim
    if any(e.ndim != ndim for e in wrong.expected):
        return
    for axis in range(ndim):
        text = f"{wrong.what} is {wrong.right}, but in the opposite order along axis {axis}."
        yield WrongFormula("reversed", text, lambda n, a=axis: wrong.expected[n].flip(a))  # type: ignore[misc]
    if ndim == 2 and any(min(e.shape) < 2 for e in wrong.expected):
        return
    for one, other in combinations(range(ndim), 2):
        text = f"{wrong.what} is {wrong.right} with axes {one} and {other} swapped: is a transpose missing or one too"
        text += " many, or are the factors of a product in the wrong order?"
        if ndim == 2:
            text = f"{wrong.what} is the transpose of {wrong.right}."
            if isinstance(wrong, WrongGradient):
                text += " Write the shapes of the factors next to each other: over which axis should the product sum?"
        yield WrongFormula(
            "transposed",
            text,
            lambda n, a=one, b=other: wrong.expected[n].transpose(a, b),  # type: ignore[misc]
        )


# Another tensor in the place of one ----------------------------------------------------------------------------------


def in_place_of(
    wrong: WrongGradient, consumer: str, share: Callable[[Problem], Tensor | None]
) -> Callable[[int], Tensor | None]:
    """The gradient with `share` in place of what comes through `consumer`."""

    def formula(number: int) -> Tensor | None:
        problem, expected = wrong.problems[number], wrong.expected[number]
        tensor = share(problem)
        if tensor is None or len(wrong.consumers) == 1:
            return tensor
        if not can_expand(tensor.shape, expected.shape):
            return None
        return expected - problem.branches(wrong.name)[consumer].double() + tensor

    return formula


def unchanged_upstream(wrong: WrongGradient) -> Iterator[WrongFormula]:
    """An upstream gradient unchanged, returned or added to the other paths."""
    for consumer in wrong.consumers:
        derivative = f"the derivative of `{consumer}` with respect to `{wrong.name}`"
        needs: tuple[str, ...] = (f"d{consumer}",)
        where = f"Your `d{wrong.name}` equals `d{consumer}`"
        if len(wrong.consumers) > 1:
            where, needs = f"In the path through `{consumer}` you have `d{consumer}` itself", ()
        text = f"{where}: the upstream gradient still has to be multiplied by {derivative}."
        upstream = in_place_of(wrong, consumer, lambda p, c=consumer: p.upstream[c].double())  # type: ignore[misc]
        yield WrongFormula("local_derivative_missing", text, upstream, needs)


def upstream_forgotten(wrong: WrongGradient) -> Iterator[WrongFormula]:
    """The local derivative alone, as if the upstream gradient were ones. That of the loss is one."""
    for consumer in wrong.consumers:
        if all(not p.graph.consumers[consumer] and bool((p.upstream[consumer] == 1).all()) for p in wrong.problems):
            continue

        def slope(problem: Problem, c: str = consumer) -> Tensor:
            ones = torch.ones_like(problem.upstream[c])
            return computed_once(
                problem, ("ones", wrong.name, c), lambda: problem.graph.vjp(c, ones)[wrong.name].double()
            )

        where = f"Your `d{wrong.name}` is" if len(wrong.consumers) == 1 else f"In your `d{wrong.name}`, one part is"
        text = f"{where} the local derivative of `{consumer}` alone. The chain rule multiplies it by the upstream "
        text += f"gradient `d{consumer}`."
        yield WrongFormula("upstream_forgotten", text, in_place_of(wrong, consumer, slope))


def other_gradient(wrong: WrongGradient) -> Iterator[WrongFormula]:
    """The gradient of another value: two functions, or two entries of what is returned, have changed places."""
    is_one_number = all(bool((found == found.flatten()[0]).all()) for found in wrong.found)  # what a sum alone reads
    is_noise = all(euclidean_norm(f) <= floor for f, floor in zip(wrong.found, wrong.floors, strict=True))
    if wrong.found[0].numel() < FEW_NUMBERS or is_one_number or is_noise:
        return
    for other in (name for name in wrong.problems[0].graph.names if name != wrong.name):

        def gradient(number: int, o: str = other) -> Tensor | None:
            problem = wrong.problems[number]
            return problem.reference(o).double() if problem.graph.consumers.get(o) else None

        yield WrongFormula(
            "other_gradient",
            f"Your `d{wrong.name}` is exactly the gradient of `{other}`. Read the forward line that uses "
            f"`{wrong.name}` again: what is done with it there?",
            gradient,
        )
