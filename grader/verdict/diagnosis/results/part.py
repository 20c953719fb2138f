"""One part of what a call gave, on every problem that has it, and what it is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.comparison.trees import tensor_of
from grader.verdict.diagnosis.named_numbers import name_of
from grader.verdict.diagnosis.readings.lines import explained

FEW = 3
"""Numbers needed, over all problems, before a constant that has no name is told."""


@dataclass(frozen=True)
class Part:
    """A part named `name` ("" for the whole result). `found` and `expected` are float64 tensors, one of each a problem.

    `others` are the result's other parts as they should be, `given` what the calls were given, both in words; `factors`
    (made of sizes) and `shares` (made of settings) are constants by name. `sharp` is the relative error up to which two
    tensors are the same.
    """

    name: str
    found: list[Tensor]
    expected: list[Tensor]
    others: list[dict[str, Tensor]]
    given: list[dict[str, Tensor]]
    factors: list[dict[str, float]]
    shares: list[dict[str, float]]
    sharp: float

    @property
    def what(self) -> str:
        return f"`{self.name}`" if self.name else "The result"

    @property
    def same_shape(self) -> bool:
        return all(f.shape == e.shape for f, e in zip(self.found, self.expected, strict=True))

    @property
    def elements(self) -> int:
        return sum(found.numel() for found in self.found)

    def equals(self, number: int, candidate: Tensor | None) -> bool:
        """Whether `candidate` is what was found on that problem."""
        found = self.found[number]
        if candidate is None or candidate.shape != found.shape:
            return False
        size = float(torch.linalg.vector_norm(candidate))
        return float(torch.linalg.vector_norm(found - candidate)) <= self.sharp * size

    def holds(self, candidates: list[Tensor]) -> bool:
        """Whether they are what was found, on every problem; where they are told from what was expected by rounding
        only, they explain nothing."""
        return all(
            self.equals(number, candidate) and explained(self.found[number], self.expected[number], candidate)
            for number, candidate in enumerate(candidates)
        )

    def everywhere(self, tables: list[dict[str, Tensor]]) -> Iterator[tuple[str, list[Tensor]]]:
        """(name, one tensor a problem) of what every table has."""
        for label in tables[0]:
            if all(label in table for table in tables):
                yield label, [table[label] for table in tables]

    def label(self, values: list[float]) -> str | None:
        """The name of a constant that has these values; a bare number only where it cannot be luck."""
        tables = [sizes | shares for sizes, shares in zip(self.factors, self.shares, strict=True)]
        label = name_of(values, tables, 10 * self.sharp)
        bare = label is not None and label.removeprefix("−") not in ("1", *tables[0])
        return None if bare and self.elements < FEW else label


def multiple(tensor: Tensor, of: Tensor) -> float | None:
    """The k for which k · `of` is nearest to `tensor`; None where `of` vanishes."""
    square = float((of * of).sum())
    return float((tensor * of).sum()) / square if 0 < square < float("inf") else None


def as_numbers(value: Any) -> Tensor | None:
    """A leaf of a result as a float64 tensor; None where it is no number, or holds one that is not finite."""
    tensor = tensor_of(value)
    if tensor is None or tensor.dtype == torch.bool or not tensor.numel():
        return None
    tensor = tensor.double()
    return tensor if bool(torch.isfinite(tensor).all()) else None


def numbers_in(table: Mapping[str, Any]) -> dict[str, Tensor]:
    return {name: tensor for name, value in table.items() if (tensor := as_numbers(value)) is not None}
