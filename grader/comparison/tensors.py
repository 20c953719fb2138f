"""The verdict on one tensor: shape, then value, then (as a badge only) bits.

Value is decided in float64 by the norm of the difference over the norm of the reference. Measured over the lecture's
graph, right formulas agree within 4e-14 (2e-12 with weights 50 times larger) and the nearest wrong one (eps
forgotten) is 3e-5 away, so 1e-9 has room on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from grader.results.wording import format_shape

TOLERANCE = 1e-9
"""Largest relative error of a right answer in float64."""
LOW_PRECISION_TOLERANCE = 1e-5
"""The same for a step that computes in float32 although it was given float64, as `.float()` does. Float32 rounding is
6e-8 an operation; hidden problems are drawn so that the nearest wrong formula is further away than this."""
FLOOR = 1e-3
"""Where the true gradient is (nearly) zero, errors are measured against this share of the upstream gradient's norm."""
VANISHING = 1e-6
"""A reference below this share of the upstream gradient's norm is a zero with rounding noise (a bias before a batch
norm): float32's own noise is then measured against the upstream gradient itself."""
PASS_FACTOR = 3.0
"""How much further from the gradient a float32 answer may be than autograd's own float32 pass, where a whole backward
pass is judged. The factor is FlashAttention's (https://github.com/Dao-AILab/flash-attention, tests)."""
HALF = (torch.float16, torch.bfloat16)

ComparisonStage = Literal["shape", "value", "passed"]


class TensorComparison(NamedTuple):
    """The result of `compare`. `relative_error` is None where shapes differ or numbers are not finite."""

    stage: ComparisonStage
    relative_error: float | None
    message: str = ""

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.stage == "passed"


def compare(
    answer: Tensor,
    reference: Tensor,
    scale: float,
    low_precision: bool = False,
    size: float | None = None,
    low_precision_tolerance: float = LOW_PRECISION_TOLERANCE,
) -> TensorComparison:
    """Compare a gradient with its reference: the shape and dtype, then the value.

    Args:
        scale: the norm of the upstream gradients that the step was fed; errors are measured against a share of it
            where the reference is nearly zero.
        low_precision: the step computed in float32 although it was given float64.
        size: the norm of the reference, where it is known.
        low_precision_tolerance: the largest relative error of a right answer in float32.
    """
    if answer.shape != reference.shape:
        shapes = format_shape(answer.shape), format_shape(reference.shape)
        message = f"The shape is {shapes[0]}; expected {shapes[1]}, the shape of the value itself."
        return TensorComparison("shape", None, message)
    if not answer.is_floating_point() or answer.dtype in HALF:
        why = "; a gradient needs floating point: start from `zeros_like(...)`, say."
        why = why if answer.dtype not in HALF else ", too coarse to judge: keep the dtype of the values you are given."
        return TensorComparison("shape", None, f"The numbers are {str(answer.dtype).removeprefix('torch.')}{why}")
    wide, exact = answer.to(torch.float64), reference.to(torch.float64)
    difference = norm(wide - exact)
    if not math.isfinite(difference) and not bool((finite := torch.isfinite(wide)).all()):
        where = first_index(~finite)
        number = float(wide[where])
        causes = "0/0, inf - inf, or the log or root of a negative number"
        causes = causes if math.isnan(number) else "a division by zero, log(0) or an overflow"
        message = f"Element {list(where)} is {number}, not a finite number: look for {causes}."
        return TensorComparison("value", None, message)
    narrow = low_precision or answer.dtype == torch.float32
    size = norm(exact) if size is None else size
    error = quotient(difference, low_precision_size(size, scale) if narrow else max(size, FLOOR * scale))
    limit = low_precision_tolerance if narrow and reference.dtype == torch.float64 else TOLERANCE
    return TensorComparison("passed" if error <= limit else "value", error)


def low_precision_size(size: float, scale: float) -> float:
    """What an error in float32 is measured against, for a reference of norm `size`."""
    return max(size, (1.0 if size < VANISHING * scale else FLOOR) * scale)


def relative_error(answer: Tensor, reference: Tensor, scale: float) -> float:
    """‖answer − reference‖ / max(‖reference‖, FLOOR · scale), in float64, of two tensors of the same shape."""
    return quotient(norm(answer.double() - reference.double()), max(norm(reference.double()), FLOOR * scale))


def quotient(difference: float, size: float) -> float:
    """`difference` / `size`; of a size of zero 0 where there is no difference, and infinity where there is one."""
    return difference / size if size else (0.0 if difference == 0 else float("inf"))


def norm(tensor: Tensor) -> float:
    """The Euclidean norm of all elements of a tensor of any shape, as a Python number."""
    return float(torch.linalg.vector_norm(tensor))


def first_index(mask: Tensor) -> tuple[int, ...]:
    """The index of the first true element of a boolean tensor of any shape, in row-major order; there must be one."""
    return tuple(int(i) for i in mask.nonzero()[0])


def index_at(place: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The index of the element at `place` in the flattened tensor."""
    index: list[int] = []
    for size in reversed(shape):  # torch.unravel_index imports sympy, which takes longer than judging a submission
        place, at = divmod(place, size)
        index.append(at)
    return tuple(reversed(index))


def differs_in_ones(shape: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two different shapes are the same without their axes of length one."""
    return list(shape) != list(other) and [n for n in shape if n != 1] == [n for n in other if n != 1]


class Bits(NamedTuple):
    """The lecture's `cmp`, plus the largest distance in units in the last place. All None where shapes differ."""

    exact: bool | None = None
    approximate: bool | None = None
    maxdiff: float | None = None
    ulps: int | None = None


def bits(answer: Tensor, reference: Tensor) -> Bits:
    """As the lecture's cmp: `==` everywhere, torch.allclose with its defaults, largest |Δ|.

    `answer` is compared in the dtype of `reference`, float32 on the published problem. Without the same shape and a
    floating-point dtype all four are None.
    """
    if answer.shape != reference.shape or not answer.is_floating_point():
        return Bits()
    narrow = answer.to(reference.dtype)
    if torch.equal(narrow, reference) and bool(torch.isfinite(reference).all()):
        return Bits(True, True, 0.0, 0)
    if not bool(torch.isfinite(narrow).all()):
        return Bits(exact=False, approximate=False)
    return Bits(
        exact=bool((narrow == reference).all()),
        approximate=bool(torch.allclose(narrow, reference)),
        maxdiff=float((narrow - reference).abs().max()),
        ulps=ulps(narrow, reference),
    )


def broadcast_bits(answer: Tensor, reference: Tensor) -> Bits:
    """`bits` of what two tensors of different shapes broadcast to: this is what the lecture's cmp compares."""
    if answer.shape == reference.shape or not answer.is_floating_point():
        return bits(answer, reference)
    try:
        wide, wide_reference = torch.broadcast_tensors(answer, reference)  # type: ignore[no-untyped-call]
    except RuntimeError:  # here cmp raises
        return Bits()
    found = bits(wide, wide_reference)
    return found if answer.numel() == wide.numel() else found._replace(ulps=None)


def ulps(a: Tensor, b: Tensor) -> int:
    """The largest number of representable float32 (or float64) values between two finite tensors' elements."""
    integers = torch.int32 if a.dtype == torch.float32 else torch.int64

    def ordered(x: Tensor) -> Tensor:
        # IEEE 754 floats sort like sign-magnitude integers: fold the negative half over
        i = x.contiguous().view(integers).to(torch.int64)
        return torch.where(i < 0, torch.iinfo(integers).min - i, i)

    if integers == torch.int64:  # the distance itself may need 65 bits
        first, second = (ordered(each).flatten().tolist() for each in (a, b))
        return int(max(abs(x - y) for x, y in zip(first, second, strict=True)))
    return int((ordered(a) - ordered(b)).abs().max())
