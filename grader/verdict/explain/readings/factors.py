"""An elementwise factor is missing, there once too often, or divides where it multiplies."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import DIVIDES, MULTIPLIES
from grader.verdict.explain.problem_values import can_expand, float_values, operand
from grader.verdict.explain.wrong_answer import WrongGradient, fit_multiples, name_multiple

POWERS = (1, -1, 2, -2)


def wrong_factor(wrong: WrongGradient) -> Iterator[Explanation]:
    """The gradient times a power of a forward value or of an upstream gradient, and perhaps a constant."""
    if not wrong.same_shape or fit_multiples(wrong, wrong.expected):
        return
    above = {"d" + c for c in wrong.consumers} | {name for name in wrong.uses if name.startswith("d")}
    found = [
        (name, power, label)
        for power in POWERS
        for name in (*float_values(wrong.problems[0]), *sorted(above))
        if (label := constant_next_to(wrong, name, power)) is not None
    ]
    near = names_in_the_lines(wrong)
    found.sort(key=lambda entry: (entry[2] not in ("1", "−1"), abs(entry[1]) != 1, entry[0] not in near))
    for name, power, label in found:
        needs = {2: (MULTIPLIES,), -2: (DIVIDES,)}.get(power, ())
        yield Explanation("factor", describe_factor(wrong, name, power, label), needs=needs)


def constant_next_to(wrong: WrongGradient, name: str, power: int) -> str | None:
    """The name of k where found = k · expected · value**power on every problem; None where that does not hold."""

    def candidate(problem: Problem, expected: Tensor) -> Tensor | None:
        value = operand(problem, name)
        if value is None or value.numel() < 2 or not can_expand(value.shape, expected.shape):
            return None
        result = expected * value**power
        return result if bool(result.isfinite().all()) else None

    return name_multiple(wrong, map(candidate, wrong.problems, wrong.expected))


def describe_factor(wrong: WrongGradient, name: str, power: int, label: str) -> str:
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
    else:
        text += f": you divide by `{name}` where the gradient multiplies by it, or it is missing twice"
    return f"{wrong.what} is the right one, {text}{sign}."


def names_in_the_lines(wrong: WrongGradient) -> frozenset[str]:
    """The values and upstream gradients of the forward lines that read `name`."""
    graph = wrong.problems[0].graph
    consumers = wrong.consumers if wrong.consumer is None else (wrong.consumer,)
    read = frozenset[str]().union(*(graph.sources[c] for c in consumers))
    return read | frozenset(consumers) | {"d" + c for c in consumers}
