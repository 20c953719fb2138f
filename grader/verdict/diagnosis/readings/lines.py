"""Right but for a factor, or a term, that each row or each column has for itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torch import Tensor

from grader.verdict.diagnosis.evidence import Explanation, Wrong

ENOUGH = 3
"""Elements that a line needs, on some problem, before it says anything that all of them are off in one way."""

RESIDUE = 1e-6
"""What such a factor or term leaves of the error, at most."""


def named(axis: int, dimensions: int) -> str:
    """How the lines along an axis are called."""
    return ("column", "row")[axis] if dimensions == 2 else f"line along axis {axis}"


def common_factor(found: Tensor, expected: Tensor, axis: int) -> Tensor | None:
    """One k for each line along `axis`, where found = k · expected nearly; None where a line of `expected` is zero."""
    square = (expected * expected).sum(axis, keepdim=True)
    return (found * expected).sum(axis, keepdim=True) / square if bool((square > 0).all()) else None


def explained(found: Tensor, expected: Tensor, candidate: Tensor) -> bool:
    """Whether `candidate` accounts for what is wrong, not merely comes as near as everything does."""
    return float((found - candidate).norm()) <= RESIDUE * float((found - expected).norm())


def axes_of_factors(found: Sequence[Tensor], expected: Sequence[Tensor]) -> Iterator[tuple[int, Tensor]]:
    """(axis, the first problem's factors) along which each line is a multiple of what it should be, on all problems."""
    for axis in axes(expected):
        factors = [common_factor(f, e, axis) for f, e in zip(found, expected, strict=True)]
        known = [factor for factor in factors if factor is not None]
        if len(known) == len(factors) and all(
            explained(f, e, k * e) for f, e, k in zip(found, expected, known, strict=True)
        ):
            yield axis, known[0]


def axes_of_terms(found: Sequence[Tensor], expected: Sequence[Tensor]) -> Iterator[int]:
    """Axes along which what is wrong is the same everywhere, on all problems."""
    for axis in axes(expected):
        shifts = [(f - e).mean(axis, keepdim=True) for f, e in zip(found, expected, strict=True)]
        if all(explained(f, e, e + s) for f, e, s in zip(found, expected, shifts, strict=True)):
            yield axis


def axes(expected: Sequence[Tensor]) -> list[int]:
    """Axes whose lines are long enough to show something, and of which there are several."""
    dimensions = expected[0].ndim
    if dimensions < 2 or any(e.ndim != dimensions for e in expected):
        return []
    wanted = min(2, len(expected))
    return [axis for axis in range(dimensions) if sum(e.shape[axis] >= ENOUGH for e in expected) >= wanted]


def factor_of_a_line(wrong: Wrong) -> Iterator[Explanation]:
    """Each row or column of the gradient times a number of its own."""
    if not wrong.same_shape or wrong.consumer is not None:
        return
    for axis, factors in axes_of_factors(wrong.found, wrong.expected):
        line = named(axis, wrong.expected[0].ndim)
        yield Explanation("factor_of_a_line", f"{wrong.what} is {in_words(line, factors)}.")
        return


def term_of_a_line(wrong: Wrong) -> Iterator[Explanation]:
    """Each row or column of the gradient plus a number of its own."""
    if not wrong.same_shape or wrong.consumer is not None:
        return
    for axis in axes_of_terms(wrong.found, wrong.expected):
        line = named(axis, wrong.expected[0].ndim)
        yield Explanation(
            "term_of_a_line",
            f"{wrong.what} is right but for one number in each {line}: all elements of a {line} are off by the same. A "
            "term that has been summed or averaged along it is wrong, missing, or too much.",
        )
        return


def in_words(line: str, factors: Tensor) -> str:
    low, high = float(factors.min()), float(factors.max())
    return (
        f"right but for one factor in each {line} ({low:.3g} to {high:.3g} times here): something that a whole {line} "
        "has in common is not what it should be, such as a gain, a variance or a sum"
    )
