"""A quick look at a few elements, before a formula is tried in full on every problem.

Most wrong formulas can be ruled out by the quotient of two tensors at a handful of places.
"""

from __future__ import annotations

import numpy
from torch import Tensor

from grader.verdict.explain.mismatch import GradientMismatch

MAX_QUOTIENT_PLACES = 8
FEWEST_PLACES = 3
"""Places needed to tell one quotient from another."""
ROUNDED_ELEMENT = 1e-8
"""Elements smaller than this share of the largest one are mostly rounding."""
QUOTIENT_RTOL = 1e-5
"""The relative difference up to which two quotients are the same."""

QuotientArray = numpy.ndarray


def places_of_largest(tensor: Tensor) -> Tensor:
    """Flat indices of the largest elements, where quotients are least disturbed by rounding."""
    flat = tensor.abs().flatten()
    top = flat.topk(min(MAX_QUOTIENT_PLACES, flat.numel()))
    return top.indices[top.values > ROUNDED_ELEMENT * top.values[0]]


def surplus_places(wrong: GradientMismatch) -> Tensor | None:
    """The places of the largest problem where the surplus is looked at; None where too few differ."""
    if not wrong.same_shape:
        return None
    surplus = wrong.surplus[wrong.largest]
    places = places_of_largest(surplus)
    return places if len(places) >= FEWEST_PLACES and bool(surplus.flatten()[places].all()) else None


def is_multiple_at(places: Tensor, tensor: Tensor, of: Tensor) -> bool:
    """Whether `tensor` is the same multiple of `of` at all places."""
    with numpy.errstate(all="ignore"):
        return bool(is_constant(tensor.flatten()[places].numpy() / of.reshape(-1)[places].numpy()))


def is_constant(rows: QuotientArray) -> QuotientArray:
    """Which rows hold the same nonzero number throughout."""
    with numpy.errstate(all="ignore"):
        low, high = rows.min(-1), rows.max(-1)
        result: QuotientArray = (
            (high - low <= QUOTIENT_RTOL * numpy.abs(high)) & (high != 0) & numpy.isfinite(high + low)
        )
    return result


def quotient_to_reference(wrong: GradientMismatch) -> tuple[Tensor, QuotientArray] | None:
    """(places of the largest problem, found / expected there); None where one of these is zero, or all of it."""
    found, expected = (tensors[wrong.largest].flatten() for tensors in (wrong.found, wrong.expected))
    places = places_of_largest(expected)
    below, above = expected[places].numpy(), found[places].numpy()
    if not len(places) or not below.all() or not above.all():
        return None
    with numpy.errstate(over="ignore"):  # a student's answer may hold any number
        return places, above / below
