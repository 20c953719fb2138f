"""Curves for a page: paths for an SVG of 1000 by 400, stretched to any width, and labels placed in percent.

Labels are no part of the SVG, so that they keep their size on a telephone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

CURVE_WIDTH, CURVE_HEIGHT = 1000.0, 400.0
LARGEST = 1e250
"""Larger values, infinities and NaN are drawn as this: no power of ten on the axis overflows."""
FEWEST_TICKS, MOST_TICKS = 3, 7
FIRST_DIGITS = ((1.0,), (1.0, 2.0, 5.0), tuple(1 + n / 10 for n in range(90)), tuple(1 + n / 100 for n in range(900)))
"""With what labels on the axis begin: the first of these that gives enough of them."""


class Tick(NamedTuple):
    at: float  # percent from the left or from the bottom
    label: str
    minor: bool = False  # left out where there is little room


class Plot(NamedTuple):
    """`lines` are paths, one for each curve, in the order given."""

    lines: tuple[str, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]


def smooth(values: Sequence[float], window: int) -> list[tuple[float, float]]:
    """(step, mean of the logarithms) of each `window` steps, as the lecture draws them; a rest is left out."""
    window = max(1, min(window, len(values)))
    return [
        (start + (window - 1) / 2, sum(math.log10(v) for v in values[start : start + window]) / window)
        for start in range(0, len(values) - window + 1, window)
    ]


def plot(curves: Sequence[Sequence[float]], steps: int, floor: float, window: int = 1) -> Plot:
    """The curves, each smoothed over `window` steps; the axis is logarithmic, from `floor` up."""
    drawn = [[min(max(v, floor), LARGEST) if math.isfinite(v) else LARGEST for v in curve] for curve in curves]
    smoothed = [smooth(curve, window) for curve in drawn]
    seen = [y for curve in smoothed for _, y in curve]
    low, high = min(seen, default=0.0), max(seen, default=0.0)
    margin = max(0.02, 0.04 * (high - low))
    low, high, last = low - margin, high + margin, max(1, steps - 1)
    lines = [
        "M" + "L".join(f"{CURVE_WIDTH * x / last:.1f} {CURVE_HEIGHT * (high - y) / (high - low):.1f}" for x, y in curve)
        for curve in smoothed
    ]
    apart = next(size for k in range(12) for size in (10**k, 2 * 10**k, 5 * 10**k) if steps / size <= 5)
    across = [
        Tick(round(min(100.0, 100 * at / last), 2), f"{at:,}", minor=bool(number % 2))
        for number, at in enumerate(range(0, steps + 1, apart))
    ]
    ticks = list[float]()
    for digits in FIRST_DIGITS:
        if len(ticks) < FEWEST_TICKS:
            powers = [10.0**power for power in range(math.floor(low), math.ceil(high) + 1)]
            ticks = [digit * power for power in powers for digit in digits if low <= math.log10(digit * power) <= high]
    up = [
        Tick(round(100 * (math.log10(value) - low) / (high - low), 2), f"{value:.4g}")
        for value in ticks[:: math.ceil(len(ticks) / MOST_TICKS) or 1]
    ]
    return Plot(tuple(lines), tuple(across), tuple(up))
