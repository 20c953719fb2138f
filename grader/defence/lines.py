"""A right line of a student's: what it reads, and values drawn for that."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from grader.defence.file_lines import FileLine
from grader.defence.versions import Variant
from grader.results.wording import format_shape

EQUAL_SIZE = 3
MAX_AXES = 6
Symbol = tuple[int, ...]
"""A size by what it was in each run; equal symbols are the same size."""
Sizes = Mapping[Symbol, int]
ReadKind = Literal["tensor", "array", "number", "size", "other"]


@dataclass(frozen=True)
class Read:
    """What a line reads under one name.

    Attributes:
        kind: a tensor of real numbers, an array of numpy, a plain number with a point, a size, or anything else.
        sizes: the shape; of a size, the size itself.
        is_positive: whether all of its numbers were above 0.
    """

    kind: ReadKind
    sizes: tuple[Symbol, ...] = ()
    is_positive: bool = False

    def draw(self, sizes: Sizes, generator: torch.Generator) -> Any:
        """A value of these sizes, normally distributed; of a size, its number."""
        shape = [sizes.get(symbol, 1) for symbol in self.sizes]
        if self.kind == "size":
            return shape[0]
        value = torch.randn(shape, generator=generator, dtype=torch.float64)
        value = value.abs() + 0.5 if self.is_positive else value
        return value.item() if self.kind == "number" else value.numpy() if self.kind == "array" else value

    def text(self, sizes: Sizes) -> str:
        """How a question gives it: "(4, 3)", "4", or "a number"."""
        shape = [sizes.get(symbol, 1) for symbol in self.sizes]
        if self.kind == "size":
            return str(shape[0])
        return "a number" if self.kind == "number" else format_shape(shape)


def reads_noted(names: Sequence[str], noted: Any) -> dict[str, Read]:
    """What a line reads, from what the worker noted in several runs; empty where it noted nothing, or sent nonsense.

    `noted` is [one {name: [kind, sizes]} for each of several runs, names with a number that is not above 0].
    """
    try:
        forms, negative = noted
        kinds = {name: {form[name][0] for form in forms} for name in names if forms}
        ranks = {name: {len(form[name]) for form in forms} for name in kinds}
        sizes = {name: tuple(zip(*(form[name][1:] for form in forms), strict=False)) for name in kinds}
        dimensions = {symbol for name in kinds if kinds[name] != {"size"} for symbol in sizes[name]}
        found = {}
        for name, (kind, *others) in kinds.items():
            is_same = not others and len(ranks[name]) == 1 and len(sizes[name]) <= MAX_AXES
            is_known = is_same and kind != "other" and (kind != "size" or sizes[name][0] in dimensions)
            found[name] = Read(kind, sizes[name], name not in negative) if is_known else Read("other")
    except (TypeError, ValueError, LookupError, AttributeError, RuntimeError):
        return {}
    return found


@dataclass(frozen=True)
class Line:
    """A right line of the student's.

    Attributes:
        row: the row that it belongs to.
        target: the forward value whose gradient it is, or "".
        at: the line in the file.
        reads: {name: what it reads under this name}
        versions: {kind: other lines}, see versions_of.
        is_checked: whether it belongs to a function that is checked as a whole.
        is_known: whether drawn values decide what it is equal to, and no other line has its name.
    """

    row: str
    target: str
    at: FileLine
    reads: Mapping[str, Read]
    versions: Mapping[str, Sequence[Variant]]
    is_checked: bool
    is_known: bool

    @property
    def shown(self) -> str:
        """How a question names what it computes, between two backticks."""
        if not self.is_checked:
            return self.row if self.at.is_returned else self.at.name
        inside = self.at.is_returned or self.at.name.startswith(self.at.function)
        return self.at.name if inside else f"{self.at.name}` in `{self.at.function}"

    @property
    def symbols(self) -> list[Symbol]:
        """Its sizes, each once; without those that are always 1."""
        found = dict.fromkeys(symbol for read in self.reads.values() for symbol in read.sizes)
        return [each for each in found if set(each) != {1}]

    def draw(self, sizes: Sizes, chance: random.Random) -> dict[str, Any]:
        """Values of these sizes for everything that the line reads."""
        generator = torch.Generator().manual_seed(chance.randrange(2**40))
        return {name: read.draw(sizes, generator) for name, read in self.reads.items()}

    def different_sizes(self, chance: random.Random) -> dict[Symbol, int]:
        """No two sizes are equal."""
        return dict(zip(self.symbols, chance.sample(range(2, 8 + len(self.symbols)), len(self.symbols)), strict=True))

    def equal_sizes(self) -> dict[Symbol, int]:
        return dict.fromkeys(self.symbols, EQUAL_SIZE)

    def sizes_given(self, sizes: Sizes) -> str:
        """ "`dh` is (4, 3) and `n` is 4.", for example."""
        *first, last = [f"`{name}` is {read.text(sizes)}" for name, read in self.reads.items()]
        return f"{', '.join(first)} and {last}." if first else f"{last}."
