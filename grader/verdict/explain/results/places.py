"""The right values in the places of others: the entries of a tuple or a dict in another order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.results.part import as_numbers

Parts = Mapping[str, tuple[Any, Any]]
"""{part of a result: (found, expected)}"""
MAX_PLACES = 40
"""Nobody mixes up more."""


def in_other_places(problems: Sequence[Parts], rtol: float) -> Explanation | None:
    """Explain a result all of whose parts are there, each once, but in other places on every problem."""
    if not problems or not 2 <= len(problems[0]) <= MAX_PLACES or any(p.keys() != problems[0].keys() for p in problems):
        return None
    tables = [
        {name: (as_numbers(found), as_numbers(right)) for name, (found, right) in parts.items()} for parts in problems
    ]
    if any(tensor is None for table in tables for pair in table.values() for tensor in pair):
        return None
    names = list(tables[0])
    own_first = {name: [name, *(other for other in names if other != name)] for name in names}
    order = one_to_one(
        {name: [o for o in own_first[name] if all(fits(t[name][0], t[o][1], rtol) for t in tables)] for name in names}
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
    """{name: one of its choices}, none of them twice; empty where that is not possible.

    A bipartite matching by augmenting paths (Kuhn 1955): polynomial time, whatever a student returns.
    """
    owners: dict[str, str] = {}

    def has_place(name: str, tried: set[str]) -> bool:
        for choice in choices[name]:
            if choice not in tried:
                tried.add(choice)
                if choice not in owners or has_place(owners[choice], tried):
                    owners[choice] = name
                    return True
        return False

    if all(has_place(name, set()) for name in choices):
        return {name: choice for choice, name in owners.items()}
    return {}
