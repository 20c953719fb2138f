"""The right values in the places of others: the entries of a tuple or a dict in another order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from grader.verdict.diagnosis.explanation import Explanation
from grader.verdict.diagnosis.results.part import as_numbers

Parts = Mapping[str, tuple[Any, Any]]
"""{part of a result: (found, expected)}"""


def in_other_places(problems: Sequence[Parts], rtol: float) -> Explanation | None:
    """Explain a result all of whose parts are there, each once, but in other places on every problem."""
    tables = [
        {name: (as_numbers(found), as_numbers(right)) for name, (found, right) in parts.items()} for parts in problems
    ]
    if not tables or len(tables[0]) < 2 or any(table.keys() != tables[0].keys() for table in tables):
        return None
    if any(tensor is None for table in tables for pair in table.values() for tensor in pair):
        return None
    names = list(tables[0])
    order = one_to_one(
        {name: [o for o in names if all(fits(t[name][0], t[o][1], rtol) for t in tables)] for name in names}
    )
    moved = next((name for name, other in order.items() if name != other), None)
    if moved is None:
        return None
    text = f"`{moved}` has the value that `{order[moved]}` should have. The values are right, but in other places."
    return Explanation("changed_places", text)


def fits(found: Tensor | None, expected: Tensor | None, rtol: float) -> bool:
    if found is None or expected is None or found.shape != expected.shape:
        return False
    return float((found - expected).norm()) <= rtol * float(expected.norm())


def one_to_one(choices: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """{name: one of its choices}, none of them twice; empty where that is not possible."""
    if not choices:
        return {}
    name = min(choices, key=lambda each: len(choices[each]))
    for choice in choices[name]:
        others = one_to_one({n: [c for c in left if c != choice] for n, left in choices.items() if n != name})
        if len(others) == len(choices) - 1:
            return {each: choice if each == name else others[each] for each in choices}
    return {}
