"""One part of the result of a call that is wrong, on every problem that has it, and what it is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from grader.comparison.trees import tensor_of
from grader.verdict.explain.mismatch import Mismatch, accounts_for

MIN_NUMBERS_OF_A_CONSTANT = 3
"""Numbers needed, over all problems, before a constant that has no name is reported."""


@dataclass(frozen=True, kw_only=True)
class PartMismatch(Mismatch):
    """A part named `name` ("" for the whole result), as the mismatch of its numbers.

    `others` are the result's other parts as they should be, `given` the arguments of the calls, both by name;
    `factors` (made of sizes) and `shares` (made of settings) are constants by name. Each has one entry per problem.
    """

    name: str
    others: list[dict[str, Tensor]]
    given: list[dict[str, Tensor]]
    factors: list[dict[str, float]]
    shares: list[dict[str, float]]

    @property
    def what(self) -> str:
        return f"`{self.name}`" if self.name else "The result"

    @property
    def constants(self) -> list[dict[str, float]]:
        return [sizes | shares for sizes, shares in zip(self.factors, self.shares, strict=True)]

    @cached_property
    def elements(self) -> int:
        return sum(found.numel() for found in self.found)

    @property
    def most_elements(self) -> int:
        return max(found.numel() for found in self.found)

    def is_explained_by(self, number: int, candidate: Tensor | None) -> bool:
        """Whether `candidate` is what was found on that problem, and differs from the reference by more than rounding.

        A part may be wrong by less than the tolerance of a low-precision result.
        """
        if candidate is None or not self.equals(number, candidate):
            return False
        return accounts_for(self.found[number], self.expected[number], candidate)

    def constant(self, values: Sequence[float]) -> str | None:
        """The name of a constant with these values; with few elements only one that does not fit by chance.

        Some expression of the sizes, such as n²/2, equals any ratio of two small whole numbers.
        """
        label = super().constant(values)
        if label is None or self.elements >= MIN_NUMBERS_OF_A_CONSTANT:
            return label
        name = label.removeprefix("−")
        return label if name == "1" or name in self.shares[0] or name.removeprefix("1/").isidentifier() else None


def on_all_problems(tables: list[dict[str, Tensor]]) -> Iterator[tuple[str, list[Tensor]]]:
    """(name, one tensor per problem) of what every table has."""
    for label in tables[0]:
        if all(label in table for table in tables):
            yield label, [table[label] for table in tables]


def as_numbers(value: Any) -> Tensor | None:
    """A leaf of a result as a float64 tensor; None where it is no number, or holds one that is not finite."""
    tensor = tensor_of(value)
    if tensor is None or tensor.dtype == torch.bool or not tensor.numel():
        return None
    tensor = tensor.double()
    return tensor if bool(torch.isfinite(tensor).all()) else None


def numeric_entries(table: Mapping[str, Any]) -> dict[str, Tensor]:
    """The entries of a table that are numbers, as float64 tensors."""
    return {name: tensor for name, value in table.items() if (tensor := as_numbers(value)) is not None}
