"""Right except for a factor, or a term, that each row or each column has for itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torch import Tensor

from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.fit import LARGEST_FACTOR
from grader.verdict.explain.mismatch import RESIDUE, GradientMismatch, Mismatch, accounts_for, euclidean_norm

LINE_RTOL = 1e-9
MIN_ELEMENTS_OF_A_LINE = 3
"""Elements that a line needs, on some problem, before an error that all of them share means something."""


def line_along(axis: int, dimensions: int) -> str:
    """The word for the lines along an axis."""
    return ("column", "row")[axis] if dimensions == 2 else f"line along axis {axis}"


def axes_of_lines(expected: Sequence[Tensor]) -> list[int]:
    """Axes whose lines are long enough to show something, and of which there are at least two."""
    dimensions = expected[0].ndim
    if dimensions < 2 or any(e.ndim != dimensions for e in expected):
        return []
    enough = min(2, len(expected))
    return [
        axis for axis in range(dimensions) if sum(e.shape[axis] >= MIN_ELEMENTS_OF_A_LINE for e in expected) >= enough
    ]


def has_equal_lines(expected: Sequence[Tensor], axis: int) -> bool:
    """Whether all elements of a line are equal except for sign and zeros, on all problems.

    Then a function of each element, such as its sine, looks like a factor per line.
    """
    largest = (e.abs().amax(axis, keepdim=True) for e in expected)
    return all(are_zero_or(e.abs(), size) for e, size in zip(expected, largest, strict=True))


def are_zero_or(sizes: Tensor, size: Tensor) -> bool:
    """Whether each of the `sizes` is zero or `size`, up to rounding."""
    return bool(((sizes == 0) | ((size - sizes) <= LINE_RTOL * size)).all())


def line_factors(found: Tensor, expected: Tensor, axis: int) -> Tensor | None:
    """One k per line along `axis`, where found ≈ k · expected; None where a line of `expected` is zero."""
    square = (expected * expected).sum(axis, keepdim=True)
    return (found * expected).sum(axis, keepdim=True) / square if bool((square > 0).all()) else None


def axes_to_read(wrong: Mismatch) -> list[int]:
    """Axes along which a factor or a term that the elements of a line share would say something."""
    axes = axes_of_lines(wrong.expected) if wrong.same_shape else []
    return [axis for axis in axes if not has_equal_lines(wrong.expected, axis)]


def is_product(found: Tensor, expected: Tensor, factors: Tensor) -> bool:
    """Whether the factors explain what was found. Nothing is explained where they are near 0 and something is left."""
    left = euclidean_norm(found - factors * expected)
    return accounts_for(found, expected, factors * expected) and left <= RESIDUE * euclidean_norm(found)


def shown_factor(factor: float) -> str:
    """Three digits, or as many as tell it from 1."""
    return next((text for digits in range(3, 12) if float(text := f"{factor:.{digits}g}") != 1), "1")


def factor_per_line(wrong: Mismatch) -> str | None:
    """What is wrong where each line is a multiple of the right one, on all problems; None elsewhere."""
    for axis in axes_to_read(wrong):
        factors = [line_factors(found, expected, axis) for found, expected in wrong.pairs]
        if all(k is not None and is_product(f, e, k) for k, (f, e) in zip(factors, wrong.pairs, strict=True)):
            line, first = line_along(axis, wrong.expected[0].ndim), factors[0]
            assert first is not None
            if float(first.abs().max()) < 1 / LARGEST_FACTOR:
                return None
            low, high = float(first.min()), float(first.max())
            times = " to ".join(dict.fromkeys((shown_factor(low), shown_factor(high))))
            return (
                f"right except for one factor in each {line} ({times} times here): something that a "
                f"whole {line} has in common is not what it should be, such as a gain, a variance or a sum"
            )
    return None


def term_per_line(wrong: Mismatch) -> str | None:
    """What is wrong where all elements of a line are off by the same, on all problems; None elsewhere."""
    for axis in axes_to_read(wrong):
        terms = [surplus.mean(axis, keepdim=True) for surplus in wrong.surplus]
        if all(accounts_for(f, e, e + term) for term, (f, e) in zip(terms, wrong.pairs, strict=True)):
            line = line_along(axis, wrong.expected[0].ndim)
            return f"right except for one number in each {line}: all elements of a {line} are off by the same"
    return None


def factor_of_a_line(wrong: GradientMismatch) -> Iterator[Explanation]:
    """Each row or column of the gradient times a number of its own."""
    if wrong.is_whole and (found := factor_per_line(wrong)) is not None:
        yield Explanation("factor_of_a_line", f"{wrong.what} is {found}.")


def term_of_a_line(wrong: GradientMismatch) -> Iterator[Explanation]:
    """Each row or column of the gradient plus a number of its own."""
    if wrong.is_whole and (found := term_per_line(wrong)) is not None:
        yield Explanation(
            "term_of_a_line",
            f"{wrong.what} is {found}. A term that has been summed or averaged along it is wrong, missing, or too "
            "much.",
        )
