"""Whether an operator is evaluated at almost the same inputs, as a difference quotient does."""

from __future__ import annotations

from bisect import bisect, insort
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

import numpy

InputArray = numpy.ndarray[Any, Any]

MAX_EVALUATIONS_COMPARED = 600
"""Evaluations that are compared."""
MAX_INPUT_ELEMENTS = 50_000
FEW_ELEMENTS = 8
"""Fewer than that are close by chance. They count only if the same distance comes again and again."""
SAME_DISTANCES = 6
LARGEST_STEP = 0.2
NEAR_INPUT, FAR_INPUT = 0.02, 0.35
"""Largest distance of two inputs, in standard deviations: with any pattern; where it is constant or mostly zero."""
LARGEST_COMPLEX_STEP = 1e-3
"""Relative to the real part. A larger step than 1e-5 earns nothing by itself."""


class Evaluations:
    """The inputs at which one operator was evaluated.

    Attributes:
        times: how often.
        pairs: how many were close to one before, but not equal to it.
    """

    def __init__(self) -> None:
        self.times = self.pairs = 0
        self._kept: deque[Sequence[InputArray]] = deque(maxlen=4)
        self._known: set[int] = set()
        self._numbers: list[float] = []  # sorted
        self._distances: Counter[float] = Counter()

    def add(self, inputs: Sequence[InputArray]) -> bool:
        """Whether the inputs of one more evaluation are close to earlier ones, or are many close ones themselves."""
        self.times += 1
        if self.times > MAX_EVALUATIONS_COMPARED or not inputs:
            return False
        if any(each.size > MAX_INPUT_ELEMENTS or each.dtype.kind not in "fc" for each in inputs):
            return False
        digest = hash(tuple((each.shape, each.tobytes()) for each in inputs))
        if digest in self._known:
            return False
        self._known.add(digest)
        is_close = any(map(is_batch_of_close, inputs))
        if len(inputs) == 1 and inputs[0].size == 1 and inputs[0].dtype.kind == "f":
            is_close |= self._is_near_a_number(float(inputs[0].item()))
        else:
            is_close |= any([self._are_close(inputs, earlier) for earlier in self._kept])
            self._kept.append([each.copy() for each in inputs])
        self.pairs += is_close
        return is_close

    def _are_close(self, inputs: Sequence[InputArray], others: Sequence[InputArray]) -> bool:
        if [each.shape for each in inputs] != [each.shape for each in others]:
            return False
        some = False
        for a, b in zip(inputs, others, strict=True):
            if numpy.array_equal(a, b):
                continue
            distance = numpy.abs(a - b)
            few = a.size < FEW_ELEMENTS
            if few and not self._is_known_distance(float(numpy.abs(a).max()), float(distance.max())):
                return False
            if not few and not is_perturbed(a, distance):
                return False
            some = True
        return some

    def _is_near_a_number(self, number: float) -> bool:
        """Whether a number has the same distance from one before as many others have."""
        place = bisect(self._numbers, number)
        near = [abs(number - other) for other in self._numbers[max(0, place - 1) : place + 1]]
        insort(self._numbers, number)
        return any([self._is_known_distance(number, each) for each in near])

    def _is_known_distance(self, size: float, distance: float) -> bool:
        if not 1e-12 < distance <= LARGEST_STEP * max(1.0, abs(size)):
            return False
        rounded = float(f"{distance:.7g}")
        self._distances[rounded] += 1
        return self._distances[rounded] >= SAME_DISTANCES


def is_perturbed(a: InputArray, distance: InputArray) -> bool:
    """Whether an input differs from another by a small step: more than rounding, and much less than it varies."""
    largest, spread = float(distance.max()), float(numpy.std(a))
    if largest == 1:  # two basis vectors, as in derivatives that are propagated forward
        return False
    if not numpy.finfo(a.dtype).eps ** 0.5 * float(numpy.abs(a).max()) < largest <= FAR_INPUT * spread:
        return False
    is_constant = float(distance.min()) > 0.99 * largest
    return largest <= NEAR_INPUT * spread or is_constant or 2 * int(numpy.count_nonzero(distance)) <= a.size


def is_batch_of_close(a: InputArray) -> bool:
    """Whether a batch of matrices consists of one that was perturbed in many ways."""
    if a.ndim < 3 or a.shape[0] < 3 or a[0].size < FEW_ELEMENTS:
        return False
    distance = numpy.abs(numpy.diff(a, axis=0))
    return all(is_perturbed(a[0], each) for each in distance if each.any()) and bool(distance.any())


def is_near_real(a: InputArray) -> bool:
    """Whether at least half of the elements that have an imaginary part have a small one."""
    if not numpy.iscomplexobj(a):
        return False
    imaginary, real = numpy.abs(a.imag), numpy.abs(a.real)
    steps = int(numpy.count_nonzero((imaginary > 0) & (imaginary <= LARGEST_COMPLEX_STEP * real)))
    return 0 < int(numpy.count_nonzero(imaginary)) <= 2 * steps
