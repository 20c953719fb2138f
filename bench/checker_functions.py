"""Functions drawn at random, with a place where a gradient of theirs is claimed (bench/checker_fuzz.py)."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np

Numbers = list[Any]
Formula = Callable[[Any, Numbers], Any]
"""A function of the mathematics module (math or mpmath) and a list of its numbers."""


@dataclass
class Point:
    """A function, the place where its gradient is claimed, and whether the promise covers functions of this kind."""

    formula: Formula
    x: np.ndarray
    promised: bool = True
    noise: float = 0.0
    other_side: np.ndarray | None = None
    """Slopes on the far side of a near kink: numbers between them and the slope at x are neither right nor wrong."""

    def value(self, x: np.ndarray) -> float:
        found = float(self.formula(math, [float(number) for number in x]))
        if self.noise:  # the same at the same place, as a function is
            found *= 1 + self.noise * (zlib.crc32(x.tobytes()) % 2001 / 1000 - 1)
        return found

    def exact(self, index: int, shift: Any) -> Any:
        numbers: Numbers = [mpmath.mpf(float(number)) for number in self.x]
        numbers[index] += shift
        return self.formula(mpmath, numbers)


def expression(rng: np.random.Generator, depth: int, size: int) -> Formula:
    """A smooth function of `size` numbers near 1: a random tree of the usual operations."""
    if depth == 0:
        index, weight, offset = int(rng.integers(size)), float(rng.uniform(-2, 2)), float(rng.uniform(-1, 1))
        return lambda m, x: weight * x[index] + offset
    first = expression(rng, depth - 1, size)
    second = expression(rng, int(rng.integers(depth)), size)
    forms: list[Formula] = [
        lambda m, x: first(m, x) + second(m, x),
        lambda m, x: first(m, x) * second(m, x),
        lambda m, x: m.sin(first(m, x)),
        lambda m, x: m.cos(first(m, x)),
        lambda m, x: m.tanh(first(m, x)),
        lambda m, x: m.exp(m.sin(first(m, x))),
        lambda m, x: m.log(1 + first(m, x) ** 2),
        lambda m, x: m.sqrt(1 + first(m, x) ** 2),
        lambda m, x: first(m, x) ** 2,
        lambda m, x: first(m, x) ** 3,
        lambda m, x: first(m, x) / (1 + second(m, x) ** 2),
        lambda m, x: m.exp(-(first(m, x) ** 2)),
    ]
    return forms[int(rng.integers(len(forms)))]


def power_of_ten(rng: np.random.Generator, low: float, high: float) -> float:
    return float(10 ** rng.uniform(low, high))


def signs(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.choice([-1.0, 1.0], size)


def tree(rng: np.random.Generator) -> Point:
    size = int(rng.integers(1, 6))
    return Point(expression(rng, int(rng.integers(1, 5)), size), rng.uniform(-2, 2, size))


def scaled_values(rng: np.random.Generator) -> Point:
    point, scale = tree(rng), power_of_ten(rng, -12, 12)
    return Point(lambda m, x: scale * point.formula(m, x), point.x)


def scaled_places(rng: np.random.Generator) -> Point:
    """x is tiny or huge, and so is the distance within which f changes."""
    point, scale = tree(rng), power_of_ten(rng, -6, 6)
    return Point(lambda m, x: point.formula(m, [number / scale for number in x]), point.x * scale)


def raised(rng: np.random.Generator) -> Point:
    point, height = tree(rng), power_of_ten(rng, 0, 13)
    return Point(lambda m, x: height + point.formula(m, x), point.x)


def near_minimum(rng: np.random.Generator) -> Point:
    size, kind = int(rng.integers(1, 5)), int(rng.integers(6))
    centres = rng.uniform(-1, 1, size) * int(rng.integers(2))
    weights = signs(rng, size) * rng.uniform(0.5, 2, size)
    height = float(rng.choice([0.0, 0.0, 1.0, 1e3]))
    forms: list[Callable[[Any, Any], Any]] = [
        lambda m, d: d**2,
        lambda m, d: m.cosh(d),
        lambda m, d: 1 - m.cos(d),
        lambda m, d: d**4,
        lambda m, d: m.log(1 + d**2),
        lambda m, d: d**2 + 10 * d**3,
    ]
    form = forms[kind]
    x = centres + signs(rng, size) * 10 ** rng.uniform(-9, -1, size)

    def formula(m: Any, x: Numbers) -> Any:
        return height + sum(float(w) * form(m, n - float(c)) for w, n, c in zip(weights, x, centres, strict=True))

    return Point(formula, x)


def at_a_minimum(rng: np.random.Generator) -> Point:
    """Every slope is zero."""
    size, exponent = int(rng.integers(1, 5)), int(rng.choice([2, 3, 4]))
    centres, height = rng.uniform(-1, 1, size), float(rng.choice([0.0, 2.0, 1e6]))
    weights = rng.uniform(0.5, 2, size)

    def formula(m: Any, x: Numbers) -> Any:
        return height + sum(float(w) * (n - float(c)) ** exponent for w, n, c in zip(weights, x, centres, strict=True))

    return Point(formula, centres.copy())


def flat_region(rng: np.random.Generator) -> Point:
    """A saturated function: slopes as small as 1e-20 next to a constant, or with none."""
    size, height = int(rng.integers(1, 4)), float(rng.choice([0.0, 1.0]))
    far = rng.uniform(2, 15, size)
    form = (lambda m, n: m.exp(-n), lambda m, n: m.exp(-(n**2)), lambda m, n: m.tanh(n))[int(rng.integers(3))]
    return Point(lambda m, x: height + sum(form(m, n) for n in x), far)


def steep(rng: np.random.Generator) -> Point:
    """Slow and fast terms: the slope of the fast one is only visible with small steps."""
    fast, share = power_of_ten(rng, 2, 6), power_of_ten(rng, -6, 0)
    x = rng.uniform(-1, 1, int(rng.integers(1, 4))) * power_of_ten(rng, -3, 0)
    return Point(lambda m, x: sum(m.sin(n) + share * m.sin(fast * n) for n in x), x)


def large_numbers(rng: np.random.Generator) -> Point:
    """x is huge next to the distance within which f changes."""
    x = signs(rng, 2) * power_of_ten(rng, 1, 7)
    place = x * (1 + rng.uniform(-1e-3, 1e-3, 2))
    return Point(lambda m, x: m.sin(x[0]) + m.tanh((x[1] - float(place[1])) / 50) + m.log(abs(x[1])), x)


def near_a_pole(rng: np.random.Generator) -> Point:
    """log, 1/x and the square root near the end of their domains."""
    x = np.array([power_of_ten(rng, -8, -1) for _ in range(int(rng.integers(1, 4)))])
    form = (lambda m, n: m.log(n), lambda m, n: 1 / n, lambda m, n: m.sqrt(n))[int(rng.integers(3))]
    return Point(lambda m, x: sum(form(m, n) for n in x), x)


def kinks(rng: np.random.Generator, shift: float) -> Point:
    """Absolute values, ReLUs and a smooth part. `shift` from each kink."""
    size = int(rng.integers(1, 5))
    at, shift_each = rng.uniform(-1, 1, size) * int(rng.integers(2)), signs(rng, size) * shift
    left, gap = rng.uniform(-1.5, 1.5, size), signs(rng, size) * rng.uniform(0.5, 2, size)
    left[0] = 0.0
    curve, scale = rng.uniform(-1, 1, size) * int(rng.integers(2)), power_of_ten(rng, -9, 9)
    x = at + shift_each

    def formula(m: Any, x: Numbers) -> Any:
        total = 0.0
        for n, c, before, more, bent in zip(x, at, left, gap, curve, strict=True):
            d = n - float(c)
            total = total + (float(before) + (float(more) if d > 0 else 0.0)) * d + float(bent) * d**2 / 2
        return scale * total

    other = np.where(x > at, left, left + gap) * scale if shift else None
    return Point(formula, x, other_side=other)


def at_a_kink(rng: np.random.Generator) -> Point:
    return kinks(rng, 0.0)


def near_a_kink(rng: np.random.Generator) -> Point:
    return kinks(rng, power_of_ten(rng, -9, -1))


def float32_values(rng: np.random.Generator) -> Point:
    point = tree(rng)
    return Point(lambda m, x: point.formula(m, x) + 3.0, point.x, promised=False, noise=6e-8)


def cancels_inside(rng: np.random.Generator) -> Point:
    point, large = tree(rng), power_of_ten(rng, 4, 9)
    return Point(lambda m, x: (point.formula(m, x) + large) - large, point.x, promised=False)


def jumps(rng: np.random.Generator) -> Point:
    point, at = tree(rng), power_of_ten(rng, -9, -1)
    edge = float(point.x[0]) + at
    return Point(lambda m, x: point.formula(m, x) + (1.0 if x[0] > edge else 0.0), point.x, promised=False)


KINDS: tuple[Callable[[np.random.Generator], Point], ...] = (
    tree, scaled_values, scaled_places, raised, near_minimum, at_a_minimum, flat_region, steep, large_numbers,
    near_a_pole, at_a_kink, near_a_kink, float32_values, cancels_inside, jumps,
)  # fmt: skip
