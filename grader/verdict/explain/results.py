"""Naming the mistake in what a call gave: a tree of tensors, numbers and texts next to the one it should be.

As with gradients, an explanation is given only if it holds on every problem. A part is compared with the arguments of
the calls, and with constants made of the problem's sizes and settings. Each sentence about numbers states an identity,
so it is true whatever the student's code does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.comparison.tensors import LOW_PRECISION_TOLERANCE
from grader.comparison.trees import name_of_entry, tensor_of
from grader.verdict.explain.coefficients import constant_multiple, unnamed_multiple, zeros
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.formulas import sum_still_missing, transposed, wrong_shape
from grader.verdict.explain.problem_values import factors_of, shares_of
from grader.verdict.explain.wrong_answer import WrongAnswer, first_that_fits

MAX_WRONG_PARTS = 12
"""Wrong parts that are examined: the others usually have the same mistake as the first."""
AFTER_THE_CALL = re.compile("afterwards|after the call")
"""What the name of a part contains if it is an argument after the call."""


@dataclass(frozen=True)
class ComparedResult:
    """One problem: the result found and expected, the parts that disagree, and the arguments of the reference's calls.

    `given` are the tensors and arrays by name; `sizes` (larger than 1) and `settings` are plain numbers by name.
    """

    found: Any
    expected: Any
    wrong: frozenset[str]
    given: Mapping[str, Any]
    sizes: Mapping[str, int]
    settings: Mapping[str, float]


def explain_result(outcomes: Sequence[ComparedResult], tolerance: float, coarse: bool) -> Explanation | None:
    """The mistake that holds on all outcomes, or None. `coarse`: something was computed in float32."""
    rtol = max(tolerance, LOW_PRECISION_TOLERANCE) if coarse else tolerance
    table = [{name: (found, right) for name, found, right in compared_leaves(o.found, o.expected)} for o in outcomes]
    names = dict.fromkeys(name for rows in table for name in rows)
    parts = {part for outcome in outcomes for part in outcome.wrong}
    wrong = [name for name in names if name in parts or any(part.startswith(f"{name}[") for part in parts)]
    for name in wrong[:MAX_WRONG_PARTS]:
        having = [outcome for outcome, row in zip(outcomes, table, strict=True) if name in row]
        found, expected = map(as_numbers, zip(*(row[name] for row in table if name in row), strict=True))
        if found and expected:
            part = WrongAnswer(
                what=f"`{name}`" if name else "The result",
                found=found,
                expected=expected,
                rtol=rtol,
                floors=[0.0] * len(found),
                constants=[factors_of(outcome.sizes) | shares_of(outcome.settings) for outcome in having],
            )
            given = {label: as_numbers([outcome.given.get(label) for outcome in having]) for label in having[0].given}
            explanation = explain_part(name, part, given)
            if explanation is not None:
                return explanation
    return None


def explain_part(name: str, part: WrongAnswer, given: Mapping[str, Sequence[Tensor]]) -> Explanation | None:
    """The mistake in one part of the result, or None. `given` are the arguments; one that is no number is empty."""
    equal = (label for label, tensors in given.items() if tensors and all(map(torch.equal, tensors, part.expected)))
    if AFTER_THE_CALL.search(name) and (argument := next(equal, None)) is not None:
        return Explanation(
            "changed_argument",
            f"An argument has been changed in place: {argument} is not what it was before the call. Start from a "
            "`.clone()`, or write `a = a + ...` instead of `a += ...`.",
        )
    patterns = zeros, constant_multiple, wrong_shape, transposed, sum_still_missing, unnamed_multiple
    return next(first_that_fits(part, patterns), None)


def as_numbers(values: Sequence[Any]) -> list[Tensor]:
    """A float64 tensor for each value; empty where one of them is no number, or holds one that is not finite."""
    tensors = [tensor for tensor in map(tensor_of, values) if tensor is not None and tensor.dtype != torch.bool]
    numbers = [tensor.double() for tensor in tensors if tensor.numel() and bool(torch.isfinite(tensor).all())]
    return numbers if len(numbers) == len(values) else []


def compared_leaves(found: Any, expected: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(part, found, expected) per leaf, named as in `grader.comparison.trees`; a list of plain numbers is one leaf.

    Where the two are built differently, the part as a whole is a leaf.
    """
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key, value in expected.items():
            if key in found:
                yield from compared_leaves(found[key], value, name_of_entry(name, key))
    elif isinstance(expected, (list, tuple)) and not is_plain_list(expected):
        if isinstance(found, (list, tuple)) and len(found) == len(expected):
            for number, value in enumerate(expected):
                yield from compared_leaves(found[number], value, f"{name}[{number}]")
        else:
            yield name, found, expected
    elif not isinstance(expected, Mapping):
        yield name, found, expected


def is_plain_list(values: Iterable[Any]) -> bool:
    """Whether a list is one of plain numbers, and not empty."""
    kinds = {type(value) for value in values}
    return bool(kinds) and kinds <= {int, float}
