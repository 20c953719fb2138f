"""The right numbers in another shape: keepdim, a transpose, a view that is not undone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.results.wording import format_shape
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.wrong_answer import WrongGradient


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
        yield Explanation("keepdim", f"{start}sum with `keepdim=True`.{end}")
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
