"""Is an answer k times a candidate on every problem, and what is k called?

The k of each problem is the least-squares one. It has a name if it is the same number on every problem, or a constant
made of the problem's sizes and settings (`constants.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from grader.verdict.explain.mismatch import GradientMismatch, Mismatch

ZERO_COEFFICIENT = 1e-7
"""A coefficient of at most this size counts as zero."""
LARGEST_FACTOR = 1e9
"""Nobody forgets a larger factor, or the reciprocal of one: such numbers are left of something else."""
SINGULAR_GRAM = 1e-6
"""The Gram determinant of normalised parts below which their coefficients are not determined."""


def multiple_of(tensor: Tensor, of: Tensor) -> float | None:
    """The k for which k · `of` is nearest to `tensor`; None where `of` vanishes or is not finite."""
    square = float((of * of).sum())
    return float((tensor * of).sum()) / square if 0 < square < float("inf") else None


def fit_multiples(
    mismatch: Mismatch,
    candidates: Iterable[Tensor | None],
    offsets: Sequence[Tensor] | None = None,
    strict: bool = True,
) -> list[float]:
    """The k per problem for which found = offset + k · candidate; empty where there is none on some problem.

    `offsets` are zero unless given. With `strict`, the fit must explain the error (`Mismatch.is_explained_by`);
    otherwise it must only equal the answer.
    """
    explains = mismatch.is_explained_by if strict else mismatch.equals
    values = []
    for number, candidate in enumerate(candidates):
        if candidate is None:
            return []
        found = mismatch.found[number] if offsets is None else mismatch.found[number] - offsets[number]
        k = multiple_of(found, candidate)
        if k is None or not explains(number, k * candidate if offsets is None else offsets[number] + k * candidate):
            return []
        values.append(k)
    return values


def name_multiple(
    mismatch: Mismatch, candidates: Iterable[Tensor | None], offsets: Sequence[Tensor] | None = None
) -> str | None:
    """The name of k where found = offset + k · candidate on every problem; None where there is none."""
    values = fit_multiples(mismatch, candidates, offsets)
    return mismatch.constant(values) if values else None


def fit_parts(mismatch: GradientMismatch, parts: Iterable[Sequence[Tensor]]) -> list[tuple[str, float]]:
    """(name, value on one problem) of each coefficient where found is a linear combination of the parts.

    `parts` holds the same number of tensors for each problem. Empty where that does not hold, where two parts cannot
    be distinguished, or where a coefficient has no name.
    """
    rows: list[list[float]] = []
    for number, tensors in enumerate(parts):
        columns = torch.stack([tensor.double().flatten() for tensor in tensors])
        gram = columns @ columns.T
        scale = gram.diagonal().sqrt()
        if not bool((scale > 0).all()) or float(torch.linalg.det(gram / scale / scale[:, None])) < SINGULAR_GRAM:
            return []
        solved = torch.linalg.solve(gram, columns @ mismatch.found[number].flatten())
        if not mismatch.equals(number, (solved @ columns).view(mismatch.found[number].shape)):
            return []
        rows.append([float(k) for k in solved])
    labels = [(name_coefficient(mismatch, values), values) for values in zip(*rows, strict=True)]
    named = [(label, values[first_telling(values)]) for label, values in labels if label]
    return named if len(named) == len(labels) else []


def first_telling(values: Sequence[float]) -> int:
    """The number of the first problem on which a factor is not 1: where a size is 1, its factor does nothing."""
    return next((number for number, value in enumerate(values) if abs(abs(value) - 1) > SINGULAR_GRAM), 0)


def name_coefficient(mismatch: Mismatch, values: Sequence[float]) -> str | None:
    """The name of a coefficient that may be zero: "0"; otherwise see `Mismatch.constant`."""
    return "0" if all(abs(value) <= ZERO_COEFFICIENT for value in values) else mismatch.constant(values)
