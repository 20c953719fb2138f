"""Curves for a page: paths for an SVG of 1000 by 400, stretched to any width, and labels placed in percent.

Labels are no part of the SVG, so that they keep their size on a telephone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CURVE_WIDTH, CURVE_HEIGHT = 1000.0, 400.0
LARGEST = 1e250
"""Larger values, and those that are no finite number, are drawn as this: no power of ten on the axis overflows."""


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
    if len(values) < window:
        window = max(1, len(values))
    return [
        (start + (window - 1) / 2, sum(math.log10(v) for v in values[start : start + window]) / window)
        for start in range(0, len(values) - window + 1, window)
    ]


def plot(curves: Sequence[Sequence[float]], steps: int, floor: float, window: int = 1) -> Plot:
    """The curves, each smoothed over `window` steps; the axis is logarithmic, from `floor` up."""
    smoothed = [smooth([on_axis(v, floor) for v in curve], window) for curve in curves]
    seen = [y for curve in smoothed for _, y in curve]
    low, high = min(seen, default=0.0), max(seen, default=0.0)
    margin = max(0.02, 0.04 * (high - low))
    low, high = low - margin, high + margin

    def point(x: float, y: float) -> str:
        return f"{CURVE_WIDTH * x / max(1, steps - 1):.1f} {CURVE_HEIGHT * (high - y) / (high - low):.1f}"

    return Plot(
        lines=tuple("M" + "L".join(point(x, y) for x, y in curve) for curve in smoothed),
        across=across(steps),
        up=tuple(
            Tick(round(100 * (math.log10(v) - low) / (high - low), 2), label(v)) for v in logarithmic_ticks(low, high)
        ),
    )


def on_axis(value: float, floor: float) -> float:
    return min(max(value, floor), LARGEST) if math.isfinite(value) else LARGEST


def across(steps: int) -> tuple[Tick, ...]:
    """Round numbers from 0 to `steps`, six at most; every other one is minor."""
    apart = next(size for k in range(12) for size in (10**k, 2 * 10**k, 5 * 10**k) if steps / size <= 5)
    ticks = range(0, steps + 1, apart)
    return tuple(
        Tick(round(min(100.0, 100 * at / max(1, steps - 1)), 2), f"{at:,}", minor=bool(number % 2))
        for number, at in enumerate(ticks)
    )


def logarithmic_ticks(low: float, high: float) -> list[float]:
    """Round numbers between 10**low and 10**high: powers of ten over a wide range, multiples of them over a narrow."""
    decades = range(math.floor(low), math.ceil(high) + 1)
    for factors in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0)):
        ticks = [f * 10.0**d for d in decades for f in factors if low <= math.log10(f * 10.0**d) <= high]
        if len(ticks) >= 3:
            apart = math.ceil(len(ticks) / 7)
            return ticks[::apart]
    count = 10 ** max(0, 1 - math.floor(math.log10(max(1e-12, 10**high - 10**low))))
    first, last = math.ceil(10**low * count), math.floor(10**high * count)
    return [n / count for n in range(first, last + 1, max(1, math.ceil((last - first + 1) / 6)))]


def label(value: float) -> str:
    """`2.5`, or a power of ten where that is shorter."""
    exponent = math.floor(math.log10(value) + 1e-9)
    if -3 < exponent < 5:
        return f"{value:.4g}"
    factor = round(value / 10.0**exponent, 1)
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{'' if factor == 1 else f'{factor:g}·'}10{raised}"
