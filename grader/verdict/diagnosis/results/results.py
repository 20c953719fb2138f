"""Naming the mistake in what a call gave: a tree of tensors, numbers and texts beside the one it should be.

As with gradients, something is told only when it holds on every problem that was asked. What a part is compared with
are the other parts of the result as they should be, what the calls were given, and constants made of the problem's
sizes and settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from grader.comparison.tensors import LOW_PRECISION_TOLERANCE
from grader.verdict.diagnosis.diagnose import MOST_TOLD, together
from grader.verdict.diagnosis.evidence import Explanation
from grader.verdict.diagnosis.named_numbers import factors_of, shares_of
from grader.verdict.diagnosis.results.numbers import TIERS
from grader.verdict.diagnosis.results.part import Part, as_numbers, numbers_in
from grader.verdict.diagnosis.results.words import Said, entries, words
from grader.verdict.diagnosis.time_allowance import check_time

MOST_PARTS = 12
"""Wrong parts that are looked at: what is wrong with the first is as a rule wrong with the others."""


@dataclass(frozen=True)
class Outcome:
    """One problem: what was found and expected, the parts that do not agree, and what the reference's calls were given.

    `given` are tensors and arrays in words; `sizes` (larger than 1) and `settings` are plain numbers by name.
    """

    found: Any
    expected: Any
    wrong: frozenset[str]
    given: Mapping[str, Any]
    sizes: Mapping[str, int]
    settings: Mapping[str, float]

    def disagrees(self, part: str) -> bool:
        return any(wrong == part or wrong.startswith(f"{part}[") for wrong in self.wrong)


def explain_result(outcomes: Sequence[Outcome], tolerance: float, coarse: bool) -> Explanation | None:
    """What holds on all outcomes, or None. `coarse`: something was computed in float32."""
    sharp = max(tolerance, LOW_PRECISION_TOLERANCE) if coarse else tolerance
    table = [{name: (found, expected) for name, found, expected in pairs(o.found, o.expected)} for o in outcomes]
    names = dict.fromkeys(name for rows in table for name in rows)
    said = words([Said(name, *row[name]) for row in table for name in row])
    if said is not None:
        return said
    wrong = [name for name in names if any(outcome.disagrees(name) for outcome in outcomes)]
    for name in wrong[:MOST_PARTS]:
        having = [(outcome, row) for outcome, row in zip(outcomes, table, strict=True) if name in row]
        explanation = entries(name, [row[name] for _, row in having]) or of_numbers(name, having, sharp)
        if explanation is not None:
            return explanation
    return None


def of_numbers(
    name: str, having: Sequence[tuple[Outcome, Mapping[str, tuple[Any, Any]]]], sharp: float
) -> Explanation | None:
    """What holds of a part that is numbers on all of these problems."""
    found = [as_numbers(row[name][0]) for _, row in having]
    expected = [as_numbers(row[name][1]) for _, row in having]
    part = Part(
        name,
        [tensor for tensor in found if tensor is not None],
        [tensor for tensor in expected if tensor is not None],
        [numbers_in({f"`{other}`": row[other][1] for other in row if other != name}) for _, row in having],
        [numbers_in(outcome.given) for outcome, _ in having],
        [factors_of(outcome.sizes) for outcome, _ in having],
        [shares_of(outcome.settings) for outcome, _ in having],
        sharp,
    )
    if not len(part.found) == len(part.expected) == len(having):
        return None
    for tier in TIERS:
        check_time()
        said = together(islice((e for reading in tier for e in reading(part)), MOST_TOLD))
        if said is not None:
            return said
    return None


def pairs(found: Any, expected: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(part, found, expected) for each leaf, named as `agreement` names parts; a list of plain numbers is one leaf.

    Where the two are built differently, the part as a whole is a leaf.
    """
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key, value in expected.items():
            if key in found:
                yield from pairs(found[key], value, f"{name}.{key}" if name else str(key))
    elif isinstance(expected, (list, tuple)) and not plain(expected):
        if isinstance(found, (list, tuple)) and len(found) == len(expected):
            for number, value in enumerate(expected):
                yield from pairs(found[number], value, f"{name}[{number}]")
        else:
            yield name, found, expected
    elif not isinstance(expected, Mapping):
        yield name, found, expected


def plain(values: Iterable[Any]) -> bool:
    """Whether a list is one of plain numbers, and not empty."""
    kinds = {type(value) for value in values}
    return bool(kinds) and kinds <= {int, float}
