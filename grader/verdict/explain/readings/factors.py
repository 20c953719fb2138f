"""An elementwise factor is missing, there once too often, divided by where it multiplies, or another value's.

found / expected is examined at a few elements. Where it behaves there like a power of one forward value, or like the
quotient of two, the formula is tried in full on every problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.fit import name_multiple
from grader.verdict.explain.mismatch import GradientMismatch
from grader.verdict.explain.problem_values import can_expand, float_values, operand
from grader.verdict.explain.readings.quotients import (
    FEWEST_PLACES,
    QUOTIENT_RTOL,
    QuotientArray,
    is_constant,
    quotient_to_reference,
)

POWERS = (1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5, -1.5)


def wrong_factor(wrong: GradientMismatch) -> Iterator[Explanation]:
    """The gradient times a power of a forward value (and perhaps a constant), or times the quotient of two."""
    quotient = quotient_to_reference(wrong) if wrong.same_shape else None
    if quotient is None or (len(quotient[1]) > 1 and bool(is_constant(quotient[1]))):
        return
    places, ratio = quotient
    names, values = possible_factors(wrong, places)
    if not names:
        return
    found: list[tuple[str, float, str]] = []
    with numpy.errstate(all="ignore"):
        for power in POWERS if len(ratio) >= FEWEST_PLACES else POWERS[:2]:
            for index in numpy.flatnonzero(is_constant(ratio / values**power)):
                label = constant_next_to(wrong, names[index], power)
                if label is not None:
                    found.append((names[index], power, label))
    near = names_in_the_lines(wrong)
    found.sort(key=lambda entry: (entry[2] not in ("1", "−1"), abs(entry[1]) != 1, entry[0] not in near))
    for name, power, label in found:
        yield Explanation("factor", describe_factor(wrong, name, power, label))
    if not found and len(ratio) >= FEWEST_PLACES:
        yield from exchanged_factors(wrong, ratio, names, values)


def possible_factors(wrong: GradientMismatch, places: Tensor) -> tuple[list[str], QuotientArray]:
    """(names, their values at these places of the largest problem's gradient, one row per name)."""
    problem, shape = wrong.problems[wrong.largest], wrong.expected[wrong.largest].shape
    above = {"d" + c for c in wrong.consumers} | {name for name in wrong.uses if name.startswith("d")}
    values = {name: operand(problem, name) for name in (*float_values(problem), *sorted(above))}
    known = {name: value for name, value in values.items() if value is not None and can_expand(value.shape, shape)}
    rows = [value.expand(shape).reshape(-1)[places].numpy() for value in known.values()]
    return list(known), numpy.stack(rows) if rows else numpy.empty((0, len(places)))


def constant_next_to(wrong: GradientMismatch, name: str, power: float) -> str | None:
    """The name of k where found = k · expected · value**power on every problem; None where that does not hold."""

    def candidate(problem: Problem, expected: Tensor) -> Tensor | None:
        value = operand(problem, name)
        if value is None or not can_expand(value.shape, expected.shape):
            return None
        return expected * (value if power == 1 else 1 / value if power == -1 else value**power)

    return name_multiple(wrong, map(candidate, wrong.problems, wrong.expected))


def describe_factor(wrong: GradientMismatch, name: str, power: float, label: str) -> str:
    times = f"`{name}`" if abs(power) == 1 else f"`{name}` to the power {abs(power):g}"
    sign = ", and the sign is flipped" if label.startswith("−") else ""
    constant = label.removeprefix("−")
    times += "" if constant == "1" else f" (and {'' if power > 0 else 'multiplied '}by {constant})"
    is_unused = bool(wrong.uses) and name not in wrong.uses
    text = f"{'multiplied' if power > 0 else 'divided'} by {times}"
    if power == 1:
        text += ": a division by it is missing" if is_unused else " once too often, or a division by it is missing"
    elif power == -1 and is_unused:
        text += f": `{name}` is missing as a factor"
    elif power == -1:
        text += f" where it should not be: `{name}` is missing as a factor, or divides once too often"
    elif power == 2:
        text += f": you multiply by `{name}` where the gradient divides by it, or have it twice too often"
    elif power == -2:
        text += f": you divide by `{name}` where the gradient multiplies by it, or it is missing twice"
    else:
        text += ": an exponent is not what it should be"
    return f"{wrong.what} is the right one, {text}{sign}."


def names_in_the_lines(wrong: GradientMismatch) -> frozenset[str]:
    """The values and upstream gradients of the forward lines that read `name`."""
    graph = wrong.problems[0].graph
    consumers = wrong.consumers if wrong.consumer is None else (wrong.consumer,)
    read = frozenset[str]().union(*(graph.sources[c] for c in consumers))
    return read | frozenset(consumers) | {"d" + c for c in consumers}


def exchanged_factors(
    wrong: GradientMismatch, ratio: QuotientArray, names: Sequence[str], values: QuotientArray
) -> Iterator[Explanation]:
    """One forward value where another belongs: found / expected is the quotient of the two."""
    possible = {name for name in names if name in wrong.uses} or set(names)
    needed = names_in_the_lines(wrong)
    with numpy.errstate(all="ignore"):
        for below, right in enumerate(names):
            if right not in needed:
                continue
            for above in numpy.flatnonzero(numpy.abs(ratio * values[below] / values - 1).max(-1) < QUOTIENT_RTOL):
                taken = names[int(above)]
                if taken in possible and taken != right and quotient_holds(wrong, taken, right):
                    yield Explanation("wrong_value", f"{wrong.what} {describe_exchange(wrong, taken, right)}.")


def describe_exchange(wrong: GradientMismatch, taken: str, right: str) -> str:
    """What found = expected · taken / right means, depending on which of the two the code reads."""
    if taken in wrong.uses and right not in wrong.uses:
        return f"has `{taken}` as a factor where `{right}` belongs: with the right one in its place it is right"
    if right in wrong.uses and taken not in wrong.uses:
        return f"is divided by `{right}` where it should be divided by `{taken}`"
    return f"is the right one times `{taken}`, divided by `{right}`: one of them is where the other belongs"


def quotient_holds(wrong: GradientMismatch, taken: str, right: str) -> bool:
    def formula(problem: Problem, expected: Tensor) -> Tensor | None:
        above, below = operand(problem, taken), operand(problem, right)
        if above is None or below is None:
            return None
        can_multiply = can_expand(above.shape, expected.shape) and can_expand(below.shape, expected.shape)
        return expected * above / below if can_multiply else None

    return wrong.holds(formula)
