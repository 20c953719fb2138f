"""A right line of a student's, with the sizes of what it reads, and values drawn for it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.defence.changed_lines import Variant
from grader.defence.file_lines import FileLine

Symbol = tuple[int, ...]
"""A size by what it is on each of the small problems; equal symbols are the same size."""


@dataclass(frozen=True)
class Line:
    """A right line of the student's.

    Attributes:
        row: the row that it belongs to.
        target: the forward value whose gradient it is, or "".
        shapes: {name that it reads: its sizes}; () for a plain number other than a size.
        sizes: {name of a plain number: the size that it is}.
        positive: names whose values are positive.
        others: names that are neither a tensor of real numbers nor a size.
        equal, wrong, wrong_rewritten: other lines, see versions_of.
    """

    row: str
    target: str
    at: FileLine
    values: tuple[Mapping[str, Any], ...]
    shapes: Mapping[str, tuple[Symbol, ...]]
    sizes: Mapping[str, Symbol]
    positive: frozenset[str]
    others: frozenset[str]
    equal: tuple[Variant, ...]
    wrong: tuple[Variant, ...]
    wrong_rewritten: tuple[Variant, ...]

    @property
    def name(self) -> str:
        return self.at.name

    @property
    def shown(self) -> str:
        """How a question names what it computes."""
        return self.row if self.at.is_returned else self.at.name

    @property
    def symbols(self) -> list[Symbol]:
        """Its sizes, each once; without those that are always 1."""
        found = [symbol for shape in self.shapes.values() for symbol in shape] + list(self.sizes.values())
        return [each for each in dict.fromkeys(found) if set(each) != {1}]

    def drawn(self, sizes: Mapping[Symbol, int], chance: random.Random) -> dict[str, Any]:
        """Values of these sizes, normally distributed, for everything that the line reads."""
        generator = torch.Generator().manual_seed(chance.randrange(2**40))
        found: dict[str, Any] = {}
        for name in self.at.names:
            if name in self.sizes:
                found[name] = sizes.get(self.sizes[name], 1)
            elif name in self.shapes:
                shape = [sizes.get(symbol, 1) for symbol in self.shapes[name]]
                value = torch.randn(shape, generator=generator, dtype=torch.float64)
                found[name] = value.abs() + 0.5 if name in self.positive else value
            else:
                found[name] = self.values[0][name]
        return found


def line_from(
    row: str, target: str, line: FileLine, values: Sequence[Mapping[str, Any]], versions: Mapping[str, Any]
) -> Line:
    shapes, sizes, positive, others = {}, {}, set(), set()
    dimensions = {symbol for name in line.names for symbol in symbols_of([each[name] for each in values])}
    for name in line.names:
        own = [each[name] for each in values]
        if all(isinstance(each, Tensor) and each.is_floating_point() for each in own):
            shapes[name] = symbols_of(own)
            if all(bool((each > 0).all()) for each in own):
                positive.add(name)
        elif all(type(each) is int for each in own) and tuple(own) in dimensions:
            sizes[name] = tuple(own)
        else:
            others.add(name)
    flat = [name for name in line.names if len(shapes.get(name, ())) < 2]
    other = {
        kind: tuple(Variant(**each) for each in found if not any(f"{name}.shape[0]" in each["code"] for name in flat))
        for kind, found in versions.items()
    }
    return Line(row, target, line, tuple(values), shapes, sizes, frozenset(positive), frozenset(others), **other)


def symbols_of(values: Sequence[Any]) -> tuple[Symbol, ...]:
    """The sizes of a tensor, each by what it is on every problem."""
    if not all(isinstance(each, Tensor) for each in values) or len({each.ndim for each in values}) > 1:
        return ()
    return tuple(zip(*(each.shape for each in values), strict=True))
