"""Does a gradient checker of lesson 08 keep its promise on functions drawn at random?

    python -m bench.checker_fuzz                        the model answer, 3,000 functions
    python -m bench.checker_fuzz --functions 300 --seed 5
    python -m bench.checker_fuzz --checker solutions/08_gradient_check/variants/plain.py
    python -m bench.checker_fuzz --examples 5           shows five violations of each kind

One row per kind of function. The true slopes come from mpmath, with 250 digits, from both sides: a kink has two. The
uncertainty of a step is its truncation error, computed exactly, plus a rounding error of 1e-14·|f|/h. An element is
determined if the two most exact steps together know its slope to a quarter of a percent. Violations, and exit status 1:

- a right claim is rejected;
- a wrong claim (off by 1 % or more in some element) is accepted, except a claim of zero that no step contradicts;
- the answer is None, although the elements that decide are determined.

The last kinds of function break the assumption of the README: they are less exact than their values look, or they jump.
Their answers are counted, and no violation.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
from rich.console import Console
from rich.table import Table

from bench.checker_functions import KINDS, Point

ROOT = Path(__file__).resolve().parents[1]
MODEL_ANSWER = ROOT / "solutions" / "08_gradient_check" / "backward.py"
STEPS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
"""Of the model answer, in units of 1 and of |x|."""
DETERMINED = 2.5e-3
NOISE = 1e-14
mpmath.mp.dps = 250
TINY = mpmath.mpf(10) ** -110


# What is true


@dataclass
class Truth:
    """Of each element: the slopes to the left and right, in order, and whether a step determines them."""

    low: np.ndarray
    high: np.ndarray
    determined: np.ndarray
    exact: bool
    """Whether the values of f are as exact as they look."""


def truth_of(point: Point) -> Truth:
    size = len(point.x)
    low, high, determined, exact = np.zeros(size), np.zeros(size), np.zeros(size, dtype=bool), True
    here = point.exact(0, 0)
    for index in range(size):
        right = (point.exact(index, TINY) - here) / TINY
        left = (here - point.exact(index, -TINY)) / TINY
        left, right = (slope if abs(slope) > 1e-105 else mpmath.mpf(0) for slope in (left, right))
        low[index], high[index] = sorted((float(left), float(right)))
        found = [errors(point, index, step, left, right) for step in steps_for(abs(float(point.x[index])))]
        exact &= all(is_exact for _, is_exact in found)
        best, second, *_ = sorted(error for error, _ in found)
        determined[index] = 2 * best + second <= DETERMINED * max(abs(low[index]), abs(high[index]))
    return Truth(low, high, determined, exact)


def steps_for(own: float) -> list[float]:
    """All steps for an element of this size."""
    return sorted({step * unit for step in STEPS for unit in (1.0, own) if unit})


def errors(point: Point, index: int, step: float, left: Any, right: Any) -> tuple[float, bool]:
    """(the uncertainty of a step, infinite where f is not defined; whether f is as exact as it looks)."""
    here, away = point.exact(index, 0), []
    largest, exact = abs(here), True
    for distance in (step, step / 2):
        for shift in (-distance, distance):
            moved = point.x.copy()
            moved[index] += shift
            try:
                value = point.value(moved)
                rounded = point.exact(index, mpmath.mpf(float(moved[index])) - float(point.x[index]))
                away.append(point.exact(index, mpmath.mpf(shift)))
            except (ValueError, ArithmeticError):
                return math.inf, True
            if not math.isfinite(value) or isinstance(away[-1], mpmath.mpc):
                return math.inf, True
            largest = max(largest, abs(away[-1]))
            exact &= bool(abs(mpmath.mpf(value) - rounded) <= 0.5 * NOISE * max(abs(rounded), abs(here)))
    below, above, near_below, near_above = away
    slopes = (here - below) / step, (above - here) / step
    gap, near_gap = slopes[1] - slopes[0], (near_above - 2 * here + near_below) / (step / 2)
    if abs(left - right) > 1e-12 * max(abs(left), abs(right)):
        truncation = 2 * max(abs(slopes[0] - left), abs(slopes[1] - right))
    else:
        truncation = abs((slopes[0] + slopes[1]) / 2 - left) + abs(gap - 2 * near_gap)
    last_digit = 1e-15 * abs(float(point.x[index])) * abs(gap) / step
    return float(truncation + NOISE * largest / step + last_digit), exact


# Claims

RIGHT, WRONG = "right", "wrong"


def claims(point: Point, truth: Truth, rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray]]:
    size, (low, high) = len(point.x), (truth.low, truth.high)
    own = np.where(abs(low) > abs(high), low, high)
    yield "the gradient", low + (high - low) * rng.uniform(0, 1, size)
    yield "the slopes to the left or right", np.where(rng.integers(2, size=size) == 1, low, high)
    for factor in (1.01, 1.4, 0.6, -1.0, 0.0):
        yield f"{factor} times", factor * own
    i, j = int(rng.integers(size)), int(rng.integers(size))
    for name, value in (("one element zero", 0.0), ("one element 1.02 times", own[i] * 1.02), ("one sign", -own[i])):
        changed = own.copy()
        changed[i] = value
        yield name, changed
    changed = own.copy()
    changed[[i, j]] = own[[j, i]]
    yield "two elements swapped", changed
    changed = own.copy()
    changed[i] += 1e-3 * max(abs(own).max(), 1e-300)
    yield "1e-3 of the largest added to one", changed
    yield "one and a half times the gap added", own + 1.5 * (high - low)


def off(point: Point, truth: Truth, claim: np.ndarray) -> np.ndarray:
    """How far each element is outside the two slopes, relative to the larger one; NaN: neither right nor wrong."""
    outside = np.maximum(np.maximum(truth.low - claim, claim - truth.high), 0.0)
    size = np.maximum(np.maximum(abs(truth.low), abs(truth.high)), abs(claim))
    found = np.where(outside == 0, 0.0, outside / np.where(size == 0, 1.0, size))
    if point.other_side is not None:
        near = np.minimum(truth.low, point.other_side), np.maximum(truth.high, point.other_side)
        margin = 0.05 * (near[1] - near[0])
        between = (claim > near[0] - margin) & (claim < near[1] + margin) & (found > 1e-9)
        found = np.where(between, np.nan, found)
    return found


# Judging


@dataclass
class Tally:
    functions: int = 0
    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    violations: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    promised: int = 0


def violation(point: Point, truth: Truth, claim: np.ndarray, error: np.ndarray, ok: bool | None) -> str | None:
    """Which part of the promise an answer breaks."""
    wrong = error > 9e-3
    zero = (truth.low == 0) & (truth.high == 0)
    if not wrong.any():
        if ok is False:
            return "right rejected"
        if ok is None and (truth.determined | zero).all():
            return "right: None"
        return None
    if (wrong & truth.determined).any():
        return {True: "wrong accepted", False: None, None: "wrong: None"}[ok]
    if ok and (abs(claim[wrong]) > 0).any() and not _below_last_digit(point, claim[wrong]):
        return "wrong accepted"
    return None


def _below_last_digit(point: Point, claim: np.ndarray) -> bool:
    return bool((abs(claim) <= 1e-16 * 1.5 * abs(point.value(point.x)) + 1e-300).all())


def judge(check: Any, kind: Callable[[np.random.Generator], Point], rng: np.random.Generator, tally: Tally) -> None:
    point = kind(rng)
    try:
        truth = truth_of(point)
    except (ValueError, ArithmeticError, TypeError):
        return
    if not np.isfinite(truth.low).all() or not np.isfinite(truth.high).all():
        return
    tally.functions += 1
    for name, claim in claims(point, truth, rng):
        error = off(point, truth, claim)
        if np.isnan(error).any() or ((error > 1e-9) & (error < 9e-3)).any():
            continue
        ok, _ = check(point.value, point.x.copy(), claim)
        truly = WRONG if (error > 9e-3).any() else RIGHT
        tally.answers[truly, str(ok)] += 1
        if not (point.promised and truth.exact):
            continue
        tally.promised += 1
        broken = violation(point, truth, claim, error, ok)
        if broken:
            tally.violations[broken] += 1
            tally.examples.append(
                f"{broken}: {name}; x={point.x.tolist()} f={point.value(point.x)!r} claim={claim.tolist()} "
                f"slopes={truth.low.tolist()}..{truth.high.tolist()} determined={truth.determined.tolist()}"
            )


def load_checker(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("checker_under_test", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.gradient_check


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checker", type=Path, default=MODEL_ANSWER)
    parser.add_argument("--functions", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--examples", type=int, default=0)
    parser.add_argument("--kind", help="only kinds with this word in their name")
    options = parser.parse_args()
    check = load_checker(options.checker)
    kinds = [kind for kind in KINDS if not options.kind or options.kind in kind.__name__]
    rows = ["right True", "right None", "right False", "wrong False", "wrong None", "wrong True"]
    table = Table("kind", "functions", *rows, "under the promise", "violations")
    total = 0
    for number, kind in enumerate(kinds):
        rng, tally = np.random.default_rng((options.seed, number)), Tally()
        for _ in range(math.ceil(options.functions / len(kinds))):
            judge(check, kind, rng, tally)
        counts = [str(tally.answers[tuple(row.split())]) for row in rows]  # type: ignore[index]
        broken = ", ".join(f"{count} {name}" for name, count in sorted(tally.violations.items()))
        table.add_row(kind.__name__, str(tally.functions), *counts, str(tally.promised), broken or "0")
        total += sum(tally.violations.values())
        for name in tally.violations:
            for example in [e for e in tally.examples if e.startswith(name)][: options.examples]:
                print(kind.__name__, example)
    Console(width=200).print(table)
    print(f"{total} violations")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
