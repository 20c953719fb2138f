"""A number times the right answer, or times a factor of it; and right except for one term."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.explanation import UNNAMED_MULTIPLE, Explanation
from grader.verdict.explain.needs import DIVIDES, MULTIPLIES
from grader.verdict.explain.problem_values import NUMBERS_IN_WORDS, can_expand, float_values, operand
from grader.verdict.explain.wrong_answer import (
    FEW_NUMBERS,
    ZERO_COEFFICIENT,
    WrongAnswer,
    WrongGradient,
    first_telling,
)

LARGEST_FACTOR = 1e9
"""Nobody forgets a larger factor, or the reciprocal of one: such numbers are left of something else."""
POWERS = (1, -1, 2, -2)
Term = tuple[str, Sequence[Tensor | None]]
"""A term in words, and its value on each problem; None where it does not exist."""


def zeros(wrong: WrongAnswer) -> Iterator[Explanation]:
    """Zero in every element, or rounding, on every problem."""
    is_zero = not any(bool(found.any()) for found in wrong.found)
    by_rounding = all(float(f.abs().max()) <= 1e-9 * floor for f, floor in zip(wrong.found, wrong.floors, strict=True))
    if not by_rounding or wrong.elements < FEW_NUMBERS or not any(bool(e.any()) for e in wrong.expected):
        return
    ask = "What should have moved it?"
    if isinstance(wrong, WrongGradient):
        ask = f"Where `{wrong.name}` is read, which of its elements change the result?"
    start = "Every element of " if any(found.ndim for found in wrong.found) else ""
    yield Explanation(
        "zeros" if is_zero else "zeros_by_rounding",
        f"{start}{wrong.it if start else wrong.what} is zero{'' if is_zero else ', up to rounding'}. {ask}",
    )


def constant_multiple(wrong: WrongAnswer) -> Iterator[Explanation]:
    """The right answer times a number with a name."""
    values = wrong.factors([e] for e in wrong.expected)
    if not values or is_ones(wrong):
        return
    name = wrong.name_of(values[0])
    if name == "−1":
        text = f"The sign is flipped: {wrong.it} is exactly minus {wrong.right}. One minus is missing, or one too many"
        text += ": compare with the forward line." if isinstance(wrong, WrongGradient) else "."
        yield Explanation("sign", text)
    elif name not in (None, "0", "1"):
        yield Explanation("ratio", f"{wrong.what} is exactly {times_too_large(name, wrong, values[0])}")


def is_ones(wrong: WrongAnswer) -> bool:
    """Whether the right answer is a few ones: any number is so many times 1."""
    return wrong.elements < FEW_NUMBERS and all(bool((e == 1).all()) for e in wrong.expected)


def times_too_large(name: str, wrong: WrongAnswer, values: Sequence[float]) -> str:
    """The end of a sentence on a factor: its value on one problem, its name, and what to look for."""
    number = first_telling(values)
    sign = ", and its sign is flipped" if name.startswith("−") else ""
    name, value = name.removeprefix("−"), abs(values[number])
    size = name.removeprefix("1/")
    if "/" in size:
        return f"{name} times what it should be (here {value:.6g}){sign}. Which number takes its place?"
    if name[0].isdigit() and value < 1 and not math.isclose(1 / value, round(1 / value)):
        return f"{name} times what it should be{sign}. A constant factor is wrong."
    constant = wrong.constants[number].get(size)
    is_named = constant is not None and size not in {"2", *NUMBERS_IN_WORDS}
    where = f": {size.strip('()')} = {constant:g}" if is_named else ""
    times = f"{value:.6g} times too large" if value > 1 else f"{1 / value:.6g} times too small"
    return f"{times}{where}{sign}. A constant factor is lost, or there is one too many."


def unnamed_multiple(wrong: WrongAnswer) -> Iterator[Explanation]:
    """The right answer times a number that has no name and differs from problem to problem."""
    values = wrong.factors([e] for e in wrong.expected)
    if not values or min(e.numel() for e in wrong.expected) < FEW_NUMBERS:
        return
    if all(1 / LARGEST_FACTOR < abs(value) < LARGEST_FACTOR for value in values[0]):
        text = f"{wrong.what} is a multiple of {wrong.right}, {varying(values[0])}."
        yield Explanation(UNNAMED_MULTIPLE, f"{text} Which sizes, or numbers that you are given, make up that factor?")


def varying(values: Sequence[float]) -> str:
    """A factor that differs from problem to problem, in words."""
    other = max(values, key=lambda value: abs(value - values[0]))
    first, second = sorted((values[0], other), key=lambda value: abs(value - 1) < ZERO_COEFFICIENT)
    rest = "right on another" if abs(second - 1) < ZERO_COEFFICIENT else f"{second:.6g} times on another"
    return f"{first:.6g} times on one problem and {rest}"


# An elementwise factor -----------------------------------------------------------------------------------------------


def wrong_factor(gradient: WrongGradient) -> Iterator[Explanation]:
    """The gradient, or one branch of it, times a power of a forward value or of an upstream gradient."""
    if not gradient.same_shape or gradient.factors([e] for e in gradient.expected):
        return
    graph = gradient.problems[0].graph
    consumers = gradient.consumers
    near = {*consumers, *("d" + c for c in consumers), *(name for c in consumers for name in graph.sources[c])}
    names = [*float_values(gradient.problems[0]), *sorted({"d" + c for c in consumers} | set(gradient.uses))]
    operands = {name: [operand(problem, name) for problem in gradient.problems] for name in dict.fromkeys(names)}
    for part in (gradient, *(branch for _, branch in gradient.branches())):
        found = [
            (name, power, label)
            for power in POWERS
            for name, values in operands.items()
            if (label := constant_next_to(part, values, power)) is not None
        ]
        found.sort(key=lambda entry: (entry[2] not in ("1", "−1"), abs(entry[1]) != 1, entry[0] not in near))
        for name, power, label in found:
            needs = {2: (MULTIPLIES,), -2: (DIVIDES,)}.get(power, ())
            is_unused = bool(gradient.uses) and name not in gradient.uses
            yield Explanation("factor", describe_factor(part, name, power, label, is_unused), needs=needs)


def constant_next_to(wrong: WrongAnswer, values: Sequence[Tensor | None], power: int) -> str | None:
    """The name of k where found = k · expected · value**power on every problem; None where that does not hold."""
    pairs = list(zip(values, wrong.expected, strict=True))
    if any(value is None or value.numel() < 2 or not can_expand(value.shape, e.shape) for value, e in pairs):
        return None
    found = wrong.coefficients([e * value**power] for value, e in pairs if value is not None)
    return found[0].name if found and found[0].name != "0" else None


def describe_factor(wrong: WrongAnswer, name: str, power: int, label: str, is_unused: bool) -> str:
    is_factor, constant = power > 0, label.removeprefix("−")
    times = f"`{name}`" if abs(power) == 1 else f"`{name}` to the power {abs(power)}"
    times += "" if constant == "1" else f" (and {'' if is_factor else 'multiplied '}by {constant})"
    cause = "a division by it is missing" if is_factor else f"`{name}` is missing as a factor"
    if abs(power) == 2:
        done, right = ("multiply", "divides") if is_factor else ("divide", "multiplies")
        cause = f"you {done} by `{name}` where the gradient {right} by it, or have it twice too often"
    elif not is_unused:
        cause += f", or it {'multiplies' if is_factor else 'divides'} once too often"
    sign = ", and the sign is flipped" if label.startswith("−") else ""
    return f"{wrong.what} is the right one, {'multiplied' if is_factor else 'divided'} by {times}: {cause}{sign}."


# One term ------------------------------------------------------------------------------------------------------------


def wrong_term(wrong: WrongAnswer, terms: Iterable[Term]) -> Iterator[Explanation]:
    """Right except for one term, of which there is too much or too little; perhaps all of it times a constant, too."""
    if not wrong.same_shape or max(e.numel() for e in wrong.expected) < FEW_NUMBERS:
        return
    later = []
    for words, tensors in terms:
        pairs = zip(wrong.expected, tensors, strict=True)
        parts = [(e, t.expand(e.shape)) for e, t in pairs if t is not None and can_expand(t.shape, e.shape)]
        found = wrong.coefficients(parts) if len(parts) == len(wrong.expected) else []
        if not found or found[1].name == "0" or found[0].name == "0":
            continue
        factor, size = found[0].name, found[1].name.removeprefix("−")
        lacks = found[1].name.startswith("−")
        times = words if size == "1" else f"{size} times {words}"
        if factor == "1":
            text = f"{wrong.what} is right except for one term: what is {'missing' if lacks else 'too much'} is exactly"
            yield Explanation("term_missing" if lacks else "term_too_many", f"{text} {times}.")
        else:
            change = f"with {times} {'taken away' if lacks else 'added'}. Two things are to be changed"
            text = f"{wrong.what} is exactly {factor} times {wrong.right}, {change}, a factor and a term."
            later.append(Explanation("term_and_factor", text))
    yield from later if isinstance(wrong, WrongGradient) else ()


def wrong_term_of_gradient(wrong: WrongGradient) -> Iterator[Explanation]:
    yield from wrong_term(wrong, terms_of_gradient(wrong))


def terms_of_gradient(wrong: WrongGradient) -> Iterator[Term]:
    """What is tried as a term of a gradient, simplest first: ones, upstream gradients, values, products of the two."""
    problems, first = wrong.problems, wrong.problems[0]
    yield "1, in every element", [torch.ones((), dtype=torch.float64) for _ in problems]
    for name, value in first.values.items():
        if isinstance(value, Tensor) and value.dtype == torch.int64 and value.ndim == 1:
            ones = [one_hot_at(problem, wrong.name, name) for problem in problems]
            yield f"1 at the places of `{name}` (one in each row)", ones
    above = {f"d{c}": [operand(p, f"d{c}") for p in problems] for c in wrong.consumers}
    values = {name: [operand(p, name) for p in problems] for name, v in float_values(first).items() if v.numel() > 1}
    for name, tensors in (above | values).items():
        yield f"`{name}`", tensors
    for consumer, gradients in above.items():
        for name, tensors in values.items():
            yield f"`{consumer}` times `{name}`", list(map(product, gradients, tensors))


def product(one: Tensor | None, other: Tensor | None) -> Tensor | None:
    """The product; None where there is none, or where the two together are larger than each of them."""
    if one is None or other is None or not (can_expand(one.shape, other.shape) or can_expand(other.shape, one.shape)):
        return None
    return one * other


def one_hot_at(problem: Problem, name: str, index: str) -> Tensor | None:
    """Ones at the places of the labels `index`, in the shape of `name`; None where the labels are no columns of it."""
    shape, places = problem.values[name].shape, problem.values[index]
    if len(shape) != 2 or places.shape != shape[:1] or int(places.max()) >= shape[1] or int(places.min()) < 0:
        return None
    return torch.nn.functional.one_hot(places, shape[1]).double()
