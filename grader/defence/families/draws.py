"""Sizes for the values that a line reads: all different, all equal, one of them 1."""

from __future__ import annotations

import random
from collections.abc import Mapping

from grader.defence.lines import Line, Symbol
from grader.results.wording import format_shape

EQUAL = 3


def different_sizes(line: Line, chance: random.Random) -> dict[Symbol, int]:
    """No two sizes are equal."""
    return dict(zip(line.symbols, chance.sample(range(2, 8 + len(line.symbols)), len(line.symbols)), strict=True))


def equal_sizes(line: Line, size: int = EQUAL) -> dict[Symbol, int]:
    return dict.fromkeys(line.symbols, size)


def sizes_of(line: Line, sizes: Mapping[Symbol, int]) -> dict[str, tuple[int, ...]]:
    """{name that the line reads: its shape}; () for a plain number."""
    shapes = {name: tuple(sizes.get(each, 1) for each in shape) for name, shape in line.shapes.items()}
    return shapes | {name: (sizes.get(symbol, 1),) for name, symbol in line.sizes.items()}


def size_text(line: Line, name: str, shape: tuple[int, ...]) -> str:
    """What a name is: its shape, its value where it is a size, or a number."""
    return str(shape[0]) if name in line.sizes else "a number" if name in line.numbers else format_shape(shape)


def shapes_given(line: Line, shapes: Mapping[str, tuple[int, ...]]) -> str:
    """ "`dh` is (4, 3) and `n` is 4.", for example."""
    parts = [f"`{name}` is {size_text(line, name, shapes[name])}" for name in line.at.names if name in shapes]
    head = ", ".join(parts[:-1]) + (" and " if parts[:-1] else "")
    return f"For example, {head}{parts[-1]}." if parts else ""
