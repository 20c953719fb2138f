"""Naming the mistake in what a call gave: a tree of tensors, numbers and texts next to the one it should be.

As with gradients, an explanation is given only if it holds on every problem. A part is compared with the arguments of
the calls, the other parts of the result as they should be, and constants made of the problem's sizes and settings.
Each sentence about numbers states an identity, so it is true whatever the student's code does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.comparison.tensors import LOW_PRECISION_TOLERANCE
from grader.comparison.trees import agreement, name_of_entry, tensor_of
from grader.verdict.explain.coefficients import constant_multiple, unnamed_multiple, zeros
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.formulas import sum_still_missing, transposed, wrong_shape
from grader.verdict.explain.problem_values import factors_of, shares_of
from grader.verdict.explain.wrong_answer import FEW_NUMBERS, WrongAnswer, WrongFormula, first_that_fits

MAX_WRONG_PARTS = 12
"""Wrong parts that are examined: the others usually have the same mistake as the first."""
AFTER_THE_CALL = ("afterwards", "after the call")
"""What the name of a part contains, one of them, if it is an argument after the call."""


Parts = Mapping[str, tuple[Any, Any]]
"""{part of a result: (found, expected)}"""


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

    def disagrees(self, part: str) -> bool:
        return any(wrong == part or wrong.startswith(f"{part}[") for wrong in self.wrong)


def explain_result(outcomes: Sequence[ComparedResult], tolerance: float, coarse: bool) -> Explanation | None:
    """The mistake that holds on all outcomes, or None. `coarse`: something was computed in float32."""
    rtol = max(tolerance, LOW_PRECISION_TOLERANCE) if coarse else tolerance
    table = [{name: (found, right) for name, found, right in compared_leaves(o.found, o.expected)} for o in outcomes]
    names = dict.fromkeys(name for rows in table for name in rows)
    wrong = [name for name in names if any(outcome.disagrees(name) for outcome in outcomes)]
    for name in wrong[:MAX_WRONG_PARTS]:
        having = [(outcome, row) for outcome, row in zip(outcomes, table, strict=True) if name in row]
        explanation = wrong_entries(name, [row[name] for _, row in having]) or explain_numbers(name, having, rtol)
        if explanation is not None:
            return explanation
    return None


def explain_numbers(name: str, having: Sequence[tuple[ComparedResult, Parts]], rtol: float) -> Explanation | None:
    """The mistake in a part that is numbers on all of these problems, or None."""
    found = [tensor for _, row in having if (tensor := as_numbers(row[name][0])) is not None]
    expected = [tensor for _, row in having if (tensor := as_numbers(row[name][1])) is not None]
    if not len(found) == len(expected) == len(having):
        return None
    part = WrongAnswer(
        what=f"`{name}`" if name else "The result",
        found=found,
        expected=expected,
        rtol=rtol,
        floors=[0.0] * len(found),
        constants=[factors_of(outcome.sizes) | shares_of(outcome.settings) for outcome, _ in having],
    )
    given = on_all_problems([outcome.given for outcome, _ in having])
    others = on_all_problems([{f"`{other}`": row[other][1] for other in row if other != name} for _, row in having])
    if any(words in name for words in AFTER_THE_CALL) and any(
        all(map(torch.equal, tensors, part.expected)) for tensors in given.values()
    ):
        return Explanation(
            "changed_argument",
            f"An argument has been changed in place: {part.what} is not what it was before the call. Start from a "
            "`.clone()`, or write `a = a + ...` instead of `a += ...`.",
        )
    patterns = (
        zeros,
        constant_multiple,
        lambda part: tensors_of_others(part, given, others),
        wrong_shape,
        transposed,
        sum_still_missing,
        unnamed_multiple,
    )
    return next(first_that_fits(part, patterns), None)


def tensors_of_others(
    part: WrongAnswer, given: Mapping[str, Sequence[Tensor]], others: Mapping[str, Sequence[Tensor]]
) -> Iterator[WrongFormula]:
    """One of the arguments, unchanged; or what another part of the result should be."""
    if part.elements < FEW_NUMBERS:
        return
    for label, tensors in given.items() if part.same_shape else ():
        text = f"{part.what} is {label} just as it was given: nothing has been done to it."
        yield WrongFormula("as_given", text, tensors.__getitem__)
    for label, tensors in others.items():
        text = f"{part.what} has the value that {label} should have. Are the values right, but in other places?"
        yield WrongFormula("changed_places", text, tensors.__getitem__)


def on_all_problems(tables: Sequence[Mapping[str, Any]]) -> dict[str, list[Tensor]]:
    """{name: one tensor per problem} of the entries that are numbers in every table."""
    found = {name: [as_numbers(table.get(name)) for table in tables] for name in tables[0]}
    complete = {name: [tensor for tensor in tensors if tensor is not None] for name, tensors in found.items()}
    return {name: tensors for name, tensors in complete.items() if len(tensors) == len(tables)}


def as_numbers(value: Any) -> Tensor | None:
    """A leaf of a result as a float64 tensor; None where it is no number, or holds one that is not finite."""
    tensor = tensor_of(value)
    if tensor is None or tensor.dtype == torch.bool or not tensor.numel():
        return None
    tensor = tensor.double()
    return tensor if bool(torch.isfinite(tensor).all()) else None


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


def wrong_entries(name: str, cases: Sequence[tuple[Any, Any]]) -> Explanation | None:
    """A list that has one entry too few or too many at one of its ends, and is right otherwise."""
    if not all(isinstance(part, (list, tuple)) and part for case in cases for part in case):
        return None
    for words, own, right in (
        ("the last entry is missing", slice(None), slice(None, -1)),
        ("the first entry is missing", slice(None), slice(1, None)),
        ("there is one entry too many at the end", slice(None, -1), slice(None)),
        ("there is one entry too many at the beginning", slice(1, None), slice(None)),
    ):
        if all(found[own] and agreement(list(found[own]), list(e[right])).holds for found, e in cases):
            what = f"`{name}`" if name else "The result"
            return Explanation("one_entry", f"{what} is right except for one thing: {words}.")
    return None
