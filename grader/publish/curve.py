"""Curves for a page: paths for an SVG of 1000 by 400, stretched to any width, and labels placed in percent.

Labels are no part of the SVG, so that they keep their size on a telephone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CURVE_WIDTH, CURVE_HEIGHT = 1000.0, 400.0
LARGEST = 1e250
"""Larger values, infinities and NaN are drawn as this: no power of ten on the axis overflows."""
FEWEST_TICKS, MOST_TICKS = 3, 7


@dataclass(frozen=True)
class Tick:
    at: float  # percent from the left or from the bottom
    label: str
    minor: bool = False  # left out where there is little room


@dataclass(frozen=True)
class Plot:
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
    low, high = low - margin, high + margin
    apart = next(size for k in range(12) for size in (10**k, 2 * 10**k, 5 * 10**k) if steps / size <= 5)

    def path_of(curve: Sequence[tuple[float, float]]) -> str:
        points = ((CURVE_WIDTH * x / max(1, steps - 1), CURVE_HEIGHT * (high - y) / (high - low)) for x, y in curve)
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)

    return Plot(
        lines=tuple(map(path_of, smoothed)),
        across=tuple(
            Tick(round(min(100.0, 100 * at / max(1, steps - 1)), 2), f"{at:,}", minor=bool(number % 2))
            for number, at in enumerate(range(0, steps + 1, apart))
        ),
        up=tuple(
            Tick(round(100 * (math.log10(v) - low) / (high - low), 2), label(v)) for v in logarithmic_ticks(low, high)
        ),
    )


def logarithmic_ticks(low: float, high: float) -> list[float]:
    """Round numbers between 10**low and 10**high: powers of ten over a wide range, multiples of them over a narrow."""
    digits = 0
    while True:  # 1; then 1, 2, … 9; then 1.0, 1.1, … 9.9
        firsts = [1.0] if not digits else [n / 10 ** (digits - 1) for n in range(10 ** (digits - 1), 10**digits)]
        decades = range(math.floor(low), math.ceil(high) + 1)
        ticks = [first * 10.0**decade for decade in decades for first in firsts]
        ticks = [tick for tick in ticks if low <= math.log10(tick) <= high]
        if len(ticks) >= FEWEST_TICKS:
            return ticks[:: math.ceil(len(ticks) / MOST_TICKS)]
        digits += 1


def label(value: float) -> str:
    """`2.5`, or a power of ten where that is shorter."""
    exponent = math.floor(math.log10(value) + 1e-9)
    if -3 < exponent < 5:
        return f"{value:.4g}"
    factor = round(value / 10.0**exponent, 1)
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{'' if factor == 1 else f'{factor:g}·'}10{raised}"
