"""The two curves of a training run, as paths and labels for an SVG of 1000 by 400."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

CURVE_WIDTH, CURVE_HEIGHT = 1000.0, 400.0
SMALLEST, LARGEST = 1e-6, 1e250
"""Smaller and larger values, infinities and NaN are drawn as these: no power of ten on the axis overflows."""
INTERVALS = 4
"""Between the labels of an axis."""


class Plot(NamedTuple):
    """`lines` are paths, one for each curve in the order given; a tick is (percent from the left or bottom, label)."""

    lines: list[str]
    across: list[tuple[float, str]]
    up: list[tuple[float, str]]


def smooth(values: Sequence[float], window: int) -> list[tuple[float, float]]:
    """(step, mean of the logarithms) of each `window` steps, as the lecture draws them; a rest is left out."""
    window = max(1, min(window, len(values)))
    logs = [math.log10(min(max(v, SMALLEST), LARGEST)) if math.isfinite(v) else math.log10(LARGEST) for v in values]
    return [
        (start + (window - 1) / 2, sum(logs[start : start + window]) / window)
        for start in range(0, len(values) - window + 1, window)
    ]


def plot(curves: Sequence[Sequence[float]], steps: int, window: int = 1) -> Plot:
    """The curves, each smoothed over `window` steps; the axis is logarithmic."""
    smoothed = [smooth(curve, window) for curve in curves]
    seen = [y for curve in smoothed for _, y in curve] or [0.0]
    margin = max(0.02, 0.04 * (max(seen) - min(seen)))
    low, high, most = min(seen) - margin, max(seen) + margin, max(1, steps)
    lines = [
        "M" + "L".join(f"{CURVE_WIDTH * x / most:.1f} {CURVE_HEIGHT * (high - y) / (high - low):.1f}" for x, y in curve)
        for curve in smoothed
    ]
    shares = [part / INTERVALS for part in range(INTERVALS + 1)]
    across = [(100 * share, f"{round(share * most):,}") for share in shares]
    up = [(100 * share, f"{10 ** (low + share * (high - low)):.3g}") for share in shares]
    return Plot(lines, across, up)
