"""The right answer, or the parts of it that come through single lines, times numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from torch import Tensor

from grader.reference.problem import Problem
from grader.results.wording import listed_as_code
from grader.verdict.explain.explanation import UNNAMED_MULTIPLE, Explanation
from grader.verdict.explain.problem_values import computed_once, times_what
from grader.verdict.explain.wrong_answer import FEW_NUMBERS, ZERO_COEFFICIENT, WrongAnswer, WrongGradient, first_telling

LARGEST_FACTOR = 1e9
"""Nobody forgets a larger factor, or the reciprocal of one: such numbers are left of something else."""
MAX_INNER_VALUES = 8
"""With more values inside a step, none of them is looked at."""
ROUNDING = 1e-9
BESSEL = re.compile(r"(.+)/\(\1−1\)|\((.+)−1\)/\2")
"""The name of a factor n/(n−1) or (n−1)/n."""
FAULTS = {"0": "does not reach what you return", "−1": "has the wrong sign"}
"""{a part's coefficient: what is wrong with the part}"""


def zeros(wrong: WrongAnswer) -> Iterator[Explanation]:
    """Zero in every element, or rounding, on every problem."""
    is_zero = not any(bool(found.any()) for found in wrong.found)
    pairs = zip(wrong.found, wrong.floors, strict=True)
    is_noise = is_zero or all(float(f.abs().max()) <= ROUNDING * floor for f, floor in pairs)
    if not is_noise or wrong.elements < FEW_NUMBERS or not any(bool(e.any()) for e in wrong.expected):
        return
    ask = "What should have moved it?" if is_zero else "Which numbers cancel: are they added up before a product?"
    if isinstance(wrong, WrongGradient) and is_zero:
        ask = f"Which elements of `{wrong.name}` change the result? And does your code write into what it returns?"
    it = f"Every element of {wrong.it}" if any(found.ndim for found in wrong.found) else wrong.what
    yield Explanation("zeros", f"{it} is zero{'' if is_zero else ', up to rounding'}. {ask}")


def constant_multiple(wrong: WrongAnswer) -> Iterator[Explanation]:
    """The right answer times a number with a name. Any number is so many times a few ones."""
    values = wrong.factors([e] for e in wrong.expected)
    if not values or (wrong.elements < FEW_NUMBERS and all(bool((e == 1).all()) for e in wrong.expected)):
        return
    name = wrong.name_of(values[0])
    if name == "−1":
        text = f"The sign is flipped: {wrong.it} is exactly minus {wrong.right}. Is a minus missing or one too many, "
        text += "or a difference the wrong way round?"
        yield Explanation("sign", text)
    elif name not in (None, "0", "1"):
        times = times_what(name, values[0][first_telling(values[0])], wrong.right)
        cause = "A constant factor is lost, one too many, or not the right one."
        if BESSEL.fullmatch(name):
            cause = "Does it divide by a size where the size minus one belongs (Bessel's correction), or vice versa?"
        yield Explanation("ratio", f"{wrong.what} is {times}. {cause}")


def unnamed_multiple(wrong: WrongAnswer) -> Iterator[Explanation]:
    """The right answer times a number that has no name and differs from problem to problem."""
    values = next(iter(wrong.factors([e] for e in wrong.expected)), [])
    if not values or min(e.numel() for e in wrong.expected) < FEW_NUMBERS:
        return
    if all(1 / LARGEST_FACTOR < abs(value) < LARGEST_FACTOR for value in values):
        other = max(values, key=lambda value: abs(value - values[0]))
        first, second = sorted((values[0], other), key=lambda value: abs(value - 1) < ZERO_COEFFICIENT)
        rest = "right on another" if abs(second - 1) < ZERO_COEFFICIENT else f"{second:.6g} times on another"
        yield Explanation(
            UNNAMED_MULTIPLE,
            f"{wrong.what} is a multiple of {wrong.right}, {first:.6g} times on one problem and {rest}. Which sizes, "
            "or numbers that you are given, make up that factor?",
        )


def wrong_branches(wrong: WrongGradient) -> Iterator[Explanation]:
    """The parts through some of the lines that read the value are missing, subtracted, too large or too small."""
    shares = [problem.branches(wrong.name) for problem in wrong.problems]
    fitted = wrong.coefficients([share[line].double() for line in wrong.consumers] for share in shares)
    labels = {label for label, _ in fitted}
    if len(labels) < 2:
        return
    texts = [
        f"the part that comes through `{line}` {FAULTS.get(label) or 'is ' + times_what(label, value)}"
        for line, (label, value) in zip(wrong.consumers, fitted, strict=True)
        if label != "1"
    ]
    end = "."
    if labels & {"0", "−1"}:
        own_sign = ", each with the sign that it gets in its own forward line" if "−1" in labels else ""
        end = f". Gradients of all paths add up{own_sign}."
    if "1" in labels:
        end += " The rest is right."
    kinds = {frozenset({"0"}): "missing", frozenset({"−1"}): "sign"}
    kind = kinds.get(frozenset(labels - {"1"}), "ratio")
    left_out = [f"d{line}" for line, (label, _) in zip(wrong.consumers, fitted, strict=True) if label == "0"]
    text = f"In your `d{wrong.name}`, {', and '.join(texts)}{end}"
    yield Explanation(f"branch_{kind}", text, left_out=tuple(left_out))


def wrong_inner_parts(wrong: WrongGradient) -> Iterator[Explanation]:
    """What comes back through one or two inner values of a step is missing (they are held constant) or has a factor."""
    inside, _ = inner_values(wrong.problems[0], wrong.name)
    if len(inside) > MAX_INNER_VALUES or not wrong.same_shape:
        return
    for held in (*combinations(inside, 1), *combinations(inside, 2)):
        without = [gradient_holding(problem, wrong.name, held) for problem in wrong.problems]
        rest = zip(without, wrong.expected, strict=True)
        fitted = wrong.coefficients(None if part is None else (part, right - part) for part, right in rest)
        if wrong.holds(without.__getitem__):  # also where two parts look the same on one problem
            fitted = [("1", 1.0), ("0", 0.0)]
        if fitted and fitted[0][0] == "1":
            label, value = fitted[1]
            kind = {"0": "held_constant", "−1": "way_sign"}.get(label, "way_ratio")
            text = f"In your `d{wrong.name}`, the part that comes back through {listed_as_code(held)} "
            yield Explanation(
                kind, f"{text}{FAULTS.get(label) or 'is ' + times_what(label, value)}. The rest is right."
            )


def inner_values(problem: Problem, name: str) -> tuple[list[str], Mapping[str, Tensor]]:
    """The values inside the step from `name` to the given upstream gradients, last one first; and these gradients."""
    ends = problem.ends
    if problem.random_upstream:
        ends = {consumer: problem.upstream[consumer] for consumer in problem.graph.consumers[name]}
    above = problem.finer.above(name) - ends.keys()
    is_inside = above & set(problem.graph.fused) if problem.random_upstream else above
    return [each for each in reversed(problem.finer.names) if each in is_inside], ends


def gradient_holding(problem: Problem, name: str, held: Sequence[str]) -> Tensor | None:
    """d`name` without what comes back through inner values, in float64; None if nothing else comes back."""

    def compute() -> Tensor | None:
        inside, ends = inner_values(problem, name)
        flows = dict(ends)
        for each in (*ends, *inside):
            if each in flows and each not in held:
                for parent, share in problem.finer.vjp(each, flows[each]).items():
                    if parent == name or parent in inside:
                        flows[parent] = flows[parent] + share if parent in flows else share
        return flows[name].double() if name in flows else None

    return computed_once(problem, ("holding", name, held), compute)
