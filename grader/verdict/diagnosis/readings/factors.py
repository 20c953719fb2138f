"""An elementwise factor forgotten, or there once too often, or divided by where it multiplies, or another's.

found / expected is looked at in a few elements; where it goes like a power of one forward value there, or like the
quotient of two, the formula is tried in full on every problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.diagnosis.evidence import Explanation, Wrong, broadcasts, floats, operand
from grader.verdict.diagnosis.ratios import constant

PROBES = 8
NOISE = 1e-8
POWERS = (1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5, -1.5)
CLOSE = 1e-5

Array = numpy.ndarray


def probes(weight: Tensor) -> Tensor:
    """The places of the largest elements: where quotients are least disturbed by rounding."""
    flat = weight.abs().flatten()
    top = flat.topk(min(PROBES, flat.numel()))
    return top.indices[top.values > NOISE * top.values[0]]


def surplus_of(wrong: Wrong) -> tuple[list[Tensor], int, Tensor] | None:
    """(what the answer has beyond the gradient on each problem, the problem to look at, the places there).

    None where too few places differ to tell one quotient from another.
    """
    if not wrong.same_shape:
        return None
    surplus = [f - e for f, e in zip(wrong.found, wrong.expected, strict=True)]
    number = largest(wrong)
    places = probes(surplus[number])
    enough = len(places) >= 3 and bool(surplus[number].flatten()[places].all())
    return (surplus, number, places) if enough else None


def steadily(surplus: Tensor, places: Tensor, tensor: Tensor) -> bool:
    """Whether the surplus is the same multiple of `tensor` at all `places`."""
    with numpy.errstate(all="ignore"):
        return bool(steady(surplus.flatten()[places].numpy() / tensor.reshape(-1)[places].numpy()))


def table(wrong: Wrong, number: int, places: Tensor) -> tuple[list[str], Array]:
    """What may be a factor and broadcasts to the gradient's shape, at these places of it: (names, one row each)."""
    problem, shape = wrong.problems[number], wrong.expected[number].shape
    graph = problem.graph
    above = {"d" + c for c in graph.consumers[wrong.name]} | {u for u in wrong.uses if u.startswith("d")}
    known = {
        name: value for name in (*floats(problem), *sorted(above)) if (value := operand(problem, name)) is not None
    }
    known = {name: value for name, value in known.items() if broadcasts(value.shape, shape)}
    rows = [value.expand(shape).reshape(-1)[places].numpy() for value in known.values()]
    return list(known), numpy.stack(rows) if rows else numpy.empty((0, len(places)))


def steady(rows: Array) -> Array:
    """Which rows are one number, not zero, all along."""
    with numpy.errstate(all="ignore"):
        low, high = rows.min(-1), rows.max(-1)
        result: Array = (high - low <= CLOSE * numpy.abs(high)) & (high != 0) & numpy.isfinite(high + low)
    return result


def largest(wrong: Wrong) -> int:
    """The problem with the most elements: the hardest one to match by luck."""
    return max(range(len(wrong.problems)), key=lambda i: wrong.expected[i].numel())


def factors(wrong: Wrong) -> Iterator[Explanation]:
    """The gradient times a power of a forward value (and perhaps a constant)."""
    if not wrong.same_shape:
        return
    number = largest(wrong)
    quotient = quotients(wrong, number)
    if quotient is None or (len(quotient[1]) > 1 and bool(steady(quotient[1]))):
        return
    places, ratio = quotient
    names, values = table(wrong, number, places)
    if not names:
        return
    found: list[tuple[str, float, str]] = []
    with numpy.errstate(all="ignore"):
        for power in POWERS if len(ratio) > 2 else POWERS[:2]:
            for index in numpy.flatnonzero(steady(ratio / values**power)):
                label = constant_beside(wrong, names[index], power)
                if label is not None:
                    found.append((names[index], power, label))
    near = sources(wrong)
    found.sort(key=lambda entry: (entry[2] not in ("1", "−1"), abs(entry[1]) != 1, entry[0] not in near))
    for name, power, label in found:
        yield Explanation("factor", in_words(wrong, name, power, label))
    if not found:
        yield from swapped(wrong, number, ratio, names, values)


def quotients(wrong: Wrong, number: int) -> tuple[Tensor, Array] | None:
    found, expected = wrong.found[number].flatten(), wrong.expected[number].flatten()
    places = probes(expected)
    below, above = expected[places].numpy(), found[places].numpy()
    if not below.all() or not above.all():
        return None
    with numpy.errstate(over="ignore"):  # an answer may be anything
        return places, above / below


def power_of(value: Tensor, power: float) -> Tensor:
    return value if power == 1 else 1 / value if power == -1 else value**power


def constant_beside(wrong: Wrong, name: str, power: float) -> str | None:
    """The name of k where found = k · expected · value**power on every problem; None where that does not hold."""
    values = []
    for i, problem in enumerate(wrong.problems):
        value = operand(problem, name)
        if value is None or not broadcasts(value.shape, wrong.expected[i].shape):
            return None
        candidate = wrong.expected[i] * power_of(value, power)
        square = float((candidate * candidate).sum())
        if not 0 < square < float("inf"):
            return None
        values.append(float((wrong.found[i] * candidate).sum()) / square)
        if not wrong.equals(i, values[-1] * candidate):
            return None
    return constant(wrong, values)


def in_words(wrong: Wrong, name: str, power: float, label: str) -> str:
    times = f"`{name}`" if abs(power) == 1 else f"`{name}` to the power {abs(power):g}"
    sign = ", and the sign is turned round" if label.startswith("−") else ""
    besides = label.removeprefix("−")
    extra = "" if besides == "1" else f" (and by {besides})"
    if power == 1 and wrong.uses and name not in wrong.uses:
        text = f"multiplied by {times}{extra}: a division by it is missing"
    elif power == 1:
        text = f"multiplied by {times}{extra} once too often, or a division by it is missing"
    elif power == -1 and wrong.uses and name not in wrong.uses:
        text = f"divided by {times}{extra}: `{name}` is missing as a factor"
    elif power == -1:
        text = f"divided by {times}{extra} where it should not be: `{name}` is missing as a factor, or divides once"
        text += " too often"
    elif power == 2:
        text = f"multiplied by {times}{extra}: you multiply by `{name}` where the gradient divides by it, or have it "
        text += "twice too often"
    elif power == -2:
        text = f"divided by {times}{extra}: you divide by `{name}` where the gradient multiplies by it, or it is "
        text += "missing twice"
    else:
        text = f"{'multiplied' if power > 0 else 'divided'} by {times}{extra}: an exponent is not what it should be"
    return f"{wrong.what} is the right one, {text}{sign}."


def sources(wrong: Wrong) -> frozenset[str]:
    """What the lines that read `name` are made of."""
    graph = wrong.problems[0].graph
    consumers = [wrong.consumer] if wrong.consumer is not None else list(graph.consumers[wrong.name])
    return (
        frozenset().union(*(graph.sources[c] for c in consumers)) | frozenset(consumers) | {"d" + c for c in consumers}
    )


def swapped(wrong: Wrong, number: int, ratio: Array, names: Sequence[str], values: Array) -> Iterator[Explanation]:
    """One forward value where another belongs: found / expected is the quotient of the two."""
    if len(ratio) < 3:
        return
    asked = {name for name in names if name in wrong.uses} or set(names)
    needed = sources(wrong)
    with numpy.errstate(all="ignore"):
        for below, right in enumerate(names):
            if right not in needed:
                continue
            for above in numpy.flatnonzero(numpy.abs(ratio * values[below] / values - 1).max(-1) < CLOSE):
                taken = names[int(above)]
                if taken in asked and taken != right and quotient_holds(wrong, taken, right):
                    yield Explanation("wrong_value", f"{wrong.what} {in_place_of(wrong, taken, right)}.")


def in_place_of(wrong: Wrong, taken: str, right: str) -> str:
    """What is known where found = expected · taken / right: which of the two is read, and so what is done with it."""
    if taken in wrong.uses and right not in wrong.uses:
        return f"has `{taken}` as a factor where `{right}` belongs: with the right one in its place it is right"
    if right in wrong.uses and taken not in wrong.uses:
        return f"is divided by `{right}` where it should be divided by `{taken}`"
    return f"is the right one times `{taken}`, divided by `{right}`: one of them is where the other belongs"


def quotient_holds(wrong: Wrong, taken: str, right: str) -> bool:
    def candidate(problem: Problem, expected: Tensor) -> Tensor | None:
        above, below = operand(problem, taken), operand(problem, right)
        if (
            above is None
            or below is None
            or not (broadcasts(above.shape, expected.shape) and broadcasts(below.shape, expected.shape))
        ):
            return None
        return expected * above / below

    return wrong.holds(candidate)
