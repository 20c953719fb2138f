"""The right numbers in another shape or another order: keepdim, a transpose, a view that is not undone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from grader.results.wording import format_shape
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import KEEPDIM
from grader.verdict.explain.wrong_answer import WrongGradient, euclidean_norm

MAX_PERMUTED = 4
"""Axes of which every order is tried."""


def wrong_shape(wrong: WrongGradient) -> Iterator[Explanation]:
    """The right numbers in the right order, with an axis of one too many or too few, or in another shape altogether."""
    if any(f.shape == e.shape for f, e in wrong.pairs) or not has_right_numbers(wrong):
        return
    found, expected, name = wrong.found[0], wrong.expected[0], wrong.name
    start = (
        f"The numbers are right, the shape is not: {format_shape(found.shape)} where `{name}` is "
        f"{format_shape(expected.shape)}; "
    )
    end = " Broadcasting hides this in a comparison, and hurts later."
    if without_ones(found.shape) != without_ones(expected.shape):
        yield Explanation(
            "not_reshaped", f"{start}undo what the forward line did to the shape (`.view({name}.shape)`)."
        )
    elif found.ndim < expected.ndim:
        yield Explanation("keepdim", f"{start}sum with `keepdim=True`.{end}", needs=(KEEPDIM,))
    elif found.ndim > expected.ndim:
        yield Explanation("keepdim", f"{start}drop the extra dimension (no `keepdim`, or `.view({name}.shape)`).{end}")
    else:
        yield Explanation("keepdim", f"{start}they lie along the other axis (`.view({name}.shape)`).{end}")


def has_right_numbers(wrong: WrongGradient) -> bool:
    """Whether only the shape is wrong."""
    return all(f.numel() == e.numel() and wrong.equals(i, e.reshape(f.shape)) for i, (f, e) in enumerate(wrong.pairs))


def without_ones(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(size for size in shape if size != 1)


def transposed_gradient(wrong: WrongGradient) -> Iterator[Explanation]:
    name = wrong.name
    if all(e.ndim == 2 and min(e.shape) > 1 for e in wrong.expected) and wrong.holds(lambda _, e: e.T):
        yield Explanation(
            "transposed",
            f"Your `d{name}` is the transpose of the gradient. Write the shapes of the factors next to each other: "
            f"only one order gives {name}'s own shape.",
        )
    elif (order := order_of_axes(wrong)) is not None:
        moved = [axis for axis, own in enumerate(order) if axis != own]
        swapped = (
            f"with axes {moved[0]} and {moved[1]} swapped" if len(moved) == 2 else f"with its axes in order {order}"
        )
        yield Explanation(
            "transposed",
            f"Your `d{name}` is the gradient {swapped}. Is a transpose missing, or is there one too many? Or are "
            "the factors of a product in the wrong order?",
        )


def order_of_axes(wrong: WrongGradient) -> tuple[int, ...] | None:
    """The axes of the gradient in the order in which the answer has them, where it is the gradient permuted."""
    axes = {e.ndim for e in wrong.expected} | {f.ndim for f in wrong.found}
    if len(axes) != 1 or not 2 < min(axes) <= MAX_PERMUTED:
        return None
    own, *others = permutations(range(min(axes)))

    def permuted(order: tuple[int, ...]) -> bool:
        return wrong.holds(lambda _, e: e.permute(order))

    return next(
        filter(permuted, sorted(others, key=lambda order: sum(a != b for a, b in zip(order, own, strict=True)))), None
    )


def wrong_order(wrong: WrongGradient) -> Iterator[Explanation]:
    """The same numbers, each somewhere else."""
    if has_right_numbers(wrong):
        return
    for number, (found, expected) in enumerate(wrong.pairs):
        if found.numel() != expected.numel() or found.numel() < 2:
            return
        if not has_same_elements(wrong, number):
            return
    found, expected = wrong.found[0], wrong.expected[0]
    shape = "" if found.shape == expected.shape else f", and the shape {format_shape(found.shape)}"
    yield Explanation(
        "shuffled",
        f"These are the right numbers in the wrong places{shape}: your `d{wrong.name}` holds each of the gradient's "
        "elements, in another order. Look at what the forward line does to the order (`view`, `.T`, an index), and "
        "undo just that.",
    )


def has_same_elements(wrong: WrongGradient, number: int) -> bool:
    found, expected = wrong.found[number].flatten(), wrong.expected[number].flatten()
    if abs(float(found.sum() - expected.sum())) > 1e-6 * float(expected.abs().sum()):
        return False
    difference = euclidean_norm(found.sort().values - expected.sort().values)
    return difference <= wrong.rtol * max(euclidean_norm(expected), wrong.floor(number))
