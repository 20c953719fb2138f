"""A broadcast in the forward pass is a sum in the backward pass: forgotten, over the wrong axis, a mean, too much."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.results.wording import format_shape
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import AVERAGES, SUMS
from grader.verdict.explain.problem_values import can_expand, computed_once
from grader.verdict.explain.wrong_answer import WrongGradient, euclidean_norm

Reduce = Callable[[Tensor], Tensor]
REDUCTION_FUNCTIONS: dict[str, Callable[..., Tensor]] = {"sum": torch.sum, "mean": torch.mean}


def unreduced_parts(problem: Problem, name: str) -> dict[str, Tensor]:
    return computed_once(problem, ("unreduced", name), lambda: problem.unreduced(name))


def wrong_sum(wrong: WrongGradient) -> Iterator[Explanation]:
    """For each consumer that broadcasts `name`: another reduction of its part than the sum that belongs there."""
    first, name = wrong.problems[0], wrong.name
    for consumer, whole in unreduced_parts(first, name).items():
        shape, small = whole.shape, first.values[name].shape
        what = f"`{name}` {format_shape(small)} is broadcast to {format_shape(shape)} in `{consumer}`"

        def reduced(reduce: Reduce, c: str = consumer) -> bool:
            return wrong.holds(lambda problem, _: gradient_with(problem, name, c, reduce))

        def reduced_over(
            reduction: Callable[..., Tensor], axis: int, reduced: Callable[[Reduce], bool] = reduced
        ) -> bool:
            return any(reduced(partial(reduction, dim=axis, keepdim=keep)) for keep in (False, True))

        if reduced(lambda u: u):
            yield Explanation(
                "sum_missing",
                f"The sum is missing: {what}. A broadcast forward is a sum backward, over the axis along which it was "
                "copied.",
            )
        copied = copied_axes(small, shape)
        for axis in range(len(shape)):
            if reduced_over(torch.sum, axis):
                if axis not in copied:
                    yield Explanation(
                        "wrong_axis",
                        f"You sum over axis {axis}: {what}. Sum over the axis along which it was copied.",
                        needs=(SUMS,),
                    )
                elif len(copied) > 1:
                    yield Explanation(
                        "sum_missing",
                        f"You sum over axis {axis} only: {what}. Sum over every axis along which it was copied.",
                        needs=(SUMS,),
                    )
            if reduced_over(torch.mean, axis):
                yield Explanation(
                    "mean_for_sum",
                    f"You take the mean over axis {axis} where a sum belongs: {what}; every copy counts in full.",
                    needs=(AVERAGES,),
                )
        if any(reduced(r) for r in (lambda u: u.sum(), lambda u, s=small: u.sum().expand(s))):
            yield Explanation(
                "summed_too_much",
                f"You sum over everything: {what}. Sum only over the axis along which it was copied.",
                needs=(SUMS,),
            )


def copied_axes(small: Sequence[int], shape: Sequence[int]) -> list[int]:
    missing = len(shape) - len(small)
    return [axis for axis, size in enumerate(shape) if axis < missing or small[axis - missing] != size]


def gradient_with(problem: Problem, name: str, consumer: str, reduce: Reduce) -> Tensor | None:
    """d`name` with one consumer's part reduced in another way; None where that does not fit the other parts."""
    whole = unreduced_parts(problem, name).get(consumer)
    if whole is None:
        return None
    try:
        result = reduce(whole)
        for other, share in problem.branches(name).items():
            result = result if other == consumer else result + share
        return result
    except RuntimeError:
        return None


def extra_sum(wrong: WrongGradient) -> Iterator[Explanation]:
    """The gradient itself summed or averaged, where nothing is to be summed."""
    name, found, expected = wrong.name, wrong.found[0], wrong.expected[0]
    if found.ndim == 0 and expected.ndim:
        for word, whole in REDUCTION_FUNCTIONS.items():
            if reduces_to(wrong, whole):
                yield Explanation(
                    "sum_too_many",
                    f"You return the {word} of all of the gradient's elements: one number, where `{name}` is "
                    f"{format_shape(expected.shape)} and each of its elements has a gradient of its own.",
                )
        return
    for axis in (axis for axis in range(expected.ndim) if expected.shape[axis] > 1):
        for keep in (False, True):
            for word, reduce in REDUCTION_FUNCTIONS.items():
                shape = list(expected.shape)
                shape[axis : axis + 1] = [1] if keep else []
                if list(found.shape) == shape and reduces_to(wrong, partial(reduce, dim=axis, keepdim=keep)):
                    if word == "mean" and all(is_constant_along(axis, one) for one in wrong.expected):
                        along = f"along axis {axis}" if keep else "along it"
                        back = "" if keep else f"put axis {axis} back, and "
                        yield Explanation(
                            "not_broadcast",
                            f"Your result has shape {format_shape(found.shape)} and the right numbers. But `{name}` is "
                            f"{format_shape(expected.shape)}, and each of its elements has a gradient of its own: "
                            f"{back}copy the numbers {along}.",
                        )
                        return
                    yield Explanation(
                        "sum_too_many",
                        f"Your result equals the gradient after a {word} over axis {axis}. But `{name}` is "
                        f"{format_shape(expected.shape)}, and each of its elements has a gradient of its own.",
                    )


def sum_of_uses_missing(wrong: WrongGradient) -> Iterator[Explanation]:
    """One gradient per use, along axes in front, of a value that is used several times: `X.mT @ dY` without its sum."""
    found, expected, name = wrong.found[0], wrong.expected[0], wrong.name
    extra = found.ndim - expected.ndim
    if extra > 0 and all(
        f.ndim - e.ndim == extra
        and f.shape[extra:] == e.shape
        and euclidean_norm(f.sum(tuple(range(extra))) - e) <= wrong.rtol * max(euclidean_norm(e), wrong.floor(i))
        for i, (f, e) in enumerate(wrong.pairs)
    ):
        axes = "axis 0" if extra == 1 else f"the first {extra} axes"
        yield Explanation(
            "sum_missing",
            f"Your {format_shape(found.shape)} holds a gradient for each place along {axes}. All of them use the same "
            f"`{name}` {format_shape(expected.shape)}: what happens to the gradients of several uses?",
        )


def is_constant_along(axis: int, gradient: Tensor) -> bool:
    return bool(torch.allclose(gradient, gradient.narrow(axis, 0, 1), rtol=1e-12, atol=0.0))


def reduces_to(wrong: WrongGradient, reduce: Reduce) -> bool:
    """Whether the answer is the gradient reduced in this way."""
    return wrong.holds(lambda _, expected: reduce(expected))


def wrong_broadcast(wrong: WrongGradient) -> Iterator[Explanation]:
    """The right numbers once, or once too often."""
    name, found, expected = wrong.name, wrong.found[0], wrong.expected[0]
    if wrong.same_shape:
        return
    if all(
        f.numel() < e.numel() and can_expand(f.shape, e.shape) and wrong.equals(i, without_copies(f, e))
        for i, (f, e) in enumerate(wrong.pairs)
    ):
        yield Explanation(
            "not_broadcast",
            f"Your result has shape {format_shape(found.shape)} and the right numbers. But `{name}` is "
            f"{format_shape(expected.shape)}, and each of its elements has a gradient of its own: a sum forward is a "
            "broadcast backward (multiply by `torch.ones_like(...)`, or use `.expand_as(...)`).",
        )
    elif all(
        f.numel() > e.numel() and can_expand(e.shape, f.shape) and wrong.equals(i, e.expand(f.shape))
        for i, (f, e) in enumerate(wrong.pairs)
    ):
        yield Explanation(
            "broadcast_too_far",
            f"Your {format_shape(found.shape)} contains the right numbers several times. But `{name}` is "
            f"{format_shape(expected.shape)}, and its gradient has that shape, too. Which factor made it larger?",
        )


def without_copies(found: Tensor, expected: Tensor) -> Tensor | None:
    """The gradient's first slice along each axis that `found` lacks, if all slices along it are the same."""
    axes = [
        axis
        for axis in range(expected.ndim)
        if expected.shape[axis] != 1
        and (axis < expected.ndim - found.ndim or found.shape[axis - expected.ndim + found.ndim] == 1)
    ]
    once = expected
    for axis in axes:
        once = once.narrow(axis, 0, 1)
    return once.reshape(found.shape) if euclidean_norm(expected - once) <= 1e-9 * euclidean_norm(expected) else None
