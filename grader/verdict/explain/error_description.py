"""A wrong answer that no wrong formula fits: where it is wrong, by how much, and in which way."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.comparison.tensors import TensorComparison, index_at

ELEMENT_RTOL = 1e-9
"""An element is right within this share of the gradient's largest."""


def describe_error(found: Tensor, expected: Tensor, comparison: TensorComparison) -> str:
    """Sentences on an answer of the right shape with finite numbers; for any other the comparison's own message."""
    if comparison.message:
        return comparison.message
    index, answer, reference = worst_element(found, expected)
    parts = [
        f"The value is wrong: the error is {comparison.relative_error:.2g} of the gradient's size. Worst element "
        f"{list(index)}: found {answer:.9g}, expected {reference:.9g}.",
        wrong_places(found, expected) or direction(found, expected),
    ]
    return " ".join(part for part in parts if part)


def worst_element(found: Tensor, expected: Tensor) -> tuple[tuple[int, ...], float, float]:
    """(index, element of `found`, element of `expected`) of the largest difference."""
    difference = (found.double() - expected.double()).abs().nan_to_num(nan=float("inf"))
    flat = int(difference.argmax())
    index = index_at(flat, difference.shape)
    return index, float(found[index]), float(expected[index])


def wrong_elements(found: Tensor, expected: Tensor) -> Tensor:
    """Booleans in the gradient's shape: where the two differ."""
    return (found.double() - expected.double()).abs() > ELEMENT_RTOL * expected.double().abs().max()


def wrong_places(found: Tensor, expected: Tensor) -> str:
    """A sentence when only some rows, some columns or some elements are wrong."""
    wrong = wrong_elements(found, expected)
    if expected.ndim == 2:
        for axis, word in ((1, "rows"), (0, "columns")):
            lines = wrong.any(axis).nonzero().flatten().tolist()
            total = expected.shape[1 - axis]
            if 0 < len(lines) < total:
                shown = ", ".join(map(str, lines[:5])) + (f" and {len(lines) - 5} more" if len(lines) > 5 else "")
                return f"{out_of(len(lines), total)} {word} are wrong: {shown}."
    count, total = int(wrong.sum()), wrong.numel()
    if 0 < count < total:
        first = [int(i) for i in wrong.nonzero()[0]]
        return f"{out_of(count, total)} elements are wrong, the first of them {first}."
    return ""


def out_of(count: int, total: int) -> str:
    """ "Only 3 of 40", but "39 of 40"."""
    return f"{'Only ' if 2 * count <= total else ''}{count} of {total}"


def direction(found: Tensor, expected: Tensor) -> str:
    """The typical ratio of all elements to the gradient's, and the correlation."""
    a, b = found.double().flatten(), expected.double().flatten()
    sizes = float(torch.linalg.vector_norm(a) * torch.linalg.vector_norm(b))
    if a.numel() < 4 or sizes == 0:
        return ""
    correlation = float((a * b).sum()) / sizes
    if abs(correlation) < 0.3:
        return f"It has little in common with the gradient (correlation {correlation:.2f})."
    nonzero = b != 0
    ratios = (a[nonzero] / b[nonzero]).sort().values
    low, typical, high = (f"{float(ratios[int(share * (len(ratios) - 1))]):.3g}" for share in (0.25, 0.5, 0.75))
    if low == high == "1":
        return (
            "At least half of its elements agree with the gradient to about three digits. Does the forward pass use "
            "another small number, such as 1e-5, or another approximation?"
        )
    spread = f"half of its elements between {low} and {high} times; " if low != high else ""
    return f"Typically it is {typical} times the gradient ({spread}correlation {correlation:.2f})."
