"""Naming the mistake in what a call gave: a tree of tensors, numbers and texts next to the one it should be.

As with gradients, an explanation is given only if it holds on every problem. A part is compared with the other parts of
the result as they should be, the arguments of the calls, and constants made of the problem's sizes and settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from grader.comparison.tensors import LOW_PRECISION_TOLERANCE
from grader.comparison.trees import name_of_entry
from grader.verdict.explain.attempts import check_interrupt
from grader.verdict.explain.constants import factors_of, shares_of
from grader.verdict.explain.explanation import MAX_JOINED, Explanation, join_explanations
from grader.verdict.explain.results.numbers import TIERS_OF_PARTS
from grader.verdict.explain.results.part import PartMismatch, as_numbers, numeric_entries
from grader.verdict.explain.results.places import in_other_places
from grader.verdict.explain.results.words import ComparedAnswer, wrong_answers, wrong_entries

MAX_WRONG_PARTS = 12
"""Wrong parts that are examined: the others usually have the same mistake as the first."""


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
    explanation = wrong_answers([ComparedAnswer(name, *row[name]) for row in table for name in row])
    if explanation is not None:
        return explanation
    explanation = in_other_places(table, rtol)
    if explanation is not None:
        return explanation
    wrong = [name for name in names if any(outcome.disagrees(name) for outcome in outcomes)]
    for name in wrong[:MAX_WRONG_PARTS]:
        having = [(outcome, row) for outcome, row in zip(outcomes, table, strict=True) if name in row]
        explanation = wrong_entries(name, [row[name] for _, row in having]) or explain_numbers(name, having, rtol)
        if explanation is not None:
            return explanation
    return None


def explain_numbers(
    name: str, having: Sequence[tuple[ComparedResult, Mapping[str, tuple[Any, Any]]]], rtol: float
) -> Explanation | None:
    """The mistake in a part that is numbers on all of these problems, or None."""
    found = [tensor for _, row in having if (tensor := as_numbers(row[name][0])) is not None]
    expected = [tensor for _, row in having if (tensor := as_numbers(row[name][1])) is not None]
    if not len(found) == len(expected) == len(having):
        return None
    part = PartMismatch(
        name=name,
        found=found,
        expected=expected,
        rtol=rtol,
        others=[numeric_entries({f"`{other}`": row[other][1] for other in row if other != name}) for _, row in having],
        given=[numeric_entries(outcome.given) for outcome, _ in having],
        factors=[factors_of(outcome.sizes) for outcome, _ in having],
        shares=[shares_of(outcome.settings) for outcome, _ in having],
    )
    for tier in TIERS_OF_PARTS:
        check_interrupt()
        explanation = join_explanations(islice((e for reading in tier for e in reading(part)), MAX_JOINED))
        if explanation is not None:
            return explanation
    return None


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
