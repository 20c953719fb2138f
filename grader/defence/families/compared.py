"""How two values compare: as numbers, as the lecture's `cmp` compares them. Families share this."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from grader.defence.material import LineResult, NotNumbers, Raised

EQUAL_RTOL, DIFFERENT_RTOL = 1e-9, 1e-3
"""Relative differences: below the first two values are equal, above the second they differ. Between: not decided."""
CmpLine = Literal["exact", "approximate", "neither", "raises"]
ALLCLOSE_RTOL, ALLCLOSE_ATOL = 1e-5, 1e-8


def are_equal(one: LineResult, other: LineResult) -> bool | None:
    """Whether two values are equal, in shape and numbers; None where rounding could decide, or one has no numbers."""
    if isinstance(one, NotNumbers) or isinstance(other, NotNumbers):
        return None
    if isinstance(one, Raised) or isinstance(other, Raised):
        return False
    if one.shape != other.shape:
        return False
    one, other = one.to(torch.float64), other.to(torch.float64)
    if not bool(torch.isfinite(one).all() and torch.isfinite(other).all()):
        return None
    size = float(torch.linalg.vector_norm(other))
    difference = float(torch.linalg.vector_norm(one - other))
    if difference <= EQUAL_RTOL * max(size, 1e-3):
        return True
    return False if difference >= DIFFERENT_RTOL * max(size, 1e-3) else None


def lecture_bits(found: LineResult, reference: Tensor) -> CmpLine | None:
    """What the lecture's `cmp` reports, which broadcasts; None where rounding on another machine could change it.

    `exact` is all(found == reference), `approximate` is torch.allclose(found, reference), which raises an error where
    the dtypes differ: None as well, because the question shows shapes only.
    """
    if isinstance(found, NotNumbers) or (isinstance(found, Tensor) and found.dtype != reference.dtype):
        return None
    if isinstance(found, Raised):
        return "raises"
    try:
        one, other = torch.broadcast_tensors(found, reference)  # type: ignore[no-untyped-call]
    except RuntimeError:
        return "raises"
    if not bool(torch.isfinite(one).all()):
        return None
    if torch.equal(one, other):
        return "exact"
    distance = float(((one - other).abs() / (ALLCLOSE_ATOL + ALLCLOSE_RTOL * other.abs())).max())
    if distance > 3:
        return "neither"
    unequal = float((one != other).double().mean())
    return "approximate" if distance < 0.3 and unequal > 0.2 else None
