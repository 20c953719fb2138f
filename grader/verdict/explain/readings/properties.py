"""What every right gradient of a value has and this answer lacks, where no formula fits: places of zero, sums of zero.

Both follow from the forward pass alone. An element that changes nothing has the gradient zero; and where a number that
is added to a whole row changes nothing, the gradients of the row add up to zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import torch
from torch import Tensor

from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.wrong_answer import WrongGradient

CANCELLED_SUM = 1e-9
"""A sum that is smaller than this share of its terms is zero."""
NOT_ROUNDING = 1e-3
"""A sum that is larger than this share of its terms is not."""


def broken_property(wrong: WrongGradient) -> Explanation | None:
    """The first property that the reference has on every problem and the answer on none; None where there is none."""
    if not wrong.is_whole_in_shape:
        return None
    return next(chain(not_zero_where_it_should_be(wrong), sums_not_zero(wrong)), None)


def not_zero_where_it_should_be(wrong: WrongGradient) -> Iterator[Explanation]:
    """Different from zero where the gradient is zero because nothing is computed from those elements."""
    with_zeros = [(found, expected == 0) for found, expected in wrong.pairs if bool((expected == 0).any())]
    have_zeros = len(with_zeros) > 1 and all(bool((expected != 0).any()) for _, expected in wrong.pairs)
    if have_zeros and all(bool((found[zero] != 0).any()) for found, zero in with_zeros):
        found, zero = with_zeros[0]
        first = ((found != 0) & zero).nonzero()[0].tolist()
        yield Explanation(
            "not_zero_elsewhere",
            f"The gradient of `{wrong.name}` is zero in {int(zero.sum())} of {zero.numel()} elements of one problem: "
            f"changing those changes nothing that is computed from `{wrong.name}`. Yours is not zero there, for "
            f"example in {first}. Which elements does the forward pass read?",
        )


def sums_not_zero(wrong: WrongGradient) -> Iterator[Explanation]:
    """Lines of the gradient that add up to zero, and do not in the answer."""
    for axis in reversed(range(wrong.expected[0].ndim)):
        pairs = [(f, e) for f, e in wrong.pairs if e.shape[axis] > 1]
        if len(pairs) > 1 and all(is_zero_sum(e, axis) and has_other_sum(f, axis) for f, e in pairs):
            found, _ = pairs[0]
            sums, word = found.sum(axis).flatten(), line_in_words(found.ndim, axis)
            line = int(sums.abs().argmax())
            one = "One" if found.ndim > 2 else f"{word.capitalize()} {line}"
            yours = f"{one} of yours" if word else "Yours"
            each = f"each {word} of " if word else ""
            whole = f"a whole {word}" if word else "all elements"
            yield Explanation(
                "sum_not_zero",
                f"Adding the same number to {whole} of `{wrong.name}` changes nothing that is computed from it, so "
                f"{each}the gradient adds up to zero. {yours} adds up to {float(sums[line]):.3g} "
                "in one problem. Is a term missing, or does one have the wrong size?",
            )


def line_in_words(dimensions: int, axis: int) -> str:
    """What is summed along an axis; "" where it is all of the tensor."""
    if dimensions == 1:
        return ""
    return "row" if axis == dimensions - 1 else "column" if dimensions == 2 else f"line along axis {axis}"


def is_zero_sum(tensor: Tensor, axis: int) -> bool:
    """Whether every line along the axis adds up to zero, and not all of it is zero."""
    sums, sizes = tensor.sum(axis).abs(), tensor.abs().sum(axis)
    return bool(tensor.any()) and bool(
        (sums <= CANCELLED_SUM * torch.maximum(sizes, sizes.max() * CANCELLED_SUM)).all()
    )


def has_other_sum(tensor: Tensor, axis: int) -> bool:
    """Whether some line along the axis adds up to more than rounding."""
    return bool((tensor.sum(axis).abs() > NOT_ROUNDING * tensor.abs().sum(axis)).any())
