"""Values for a line of the student's, and how two results compare. Families share this."""

from __future__ import annotations

import random
from collections.abc import Mapping

import torch

from grader.defence.lines import Line, Symbol
from grader.defence.material import LineResult, NotNumbers, Raised
from grader.results.wording import format_shape

EQUAL_SIZE = 3
EQUAL_RTOL, DIFFERENT_RTOL = 1e-9, 1e-3
"""Relative differences: below the first two values are equal, above the second they differ. Between: not decided."""


def are_equal(one: LineResult, other: LineResult) -> bool | None:
    """Whether two values are equal, in shape and numbers; None where rounding could decide, or one has no numbers."""
    if isinstance(one, NotNumbers) or isinstance(other, NotNumbers):
        return None
    if isinstance(one, Raised) or isinstance(other, Raised) or one.shape != other.shape:
        return False
    one, other = one.to(torch.float64), other.to(torch.float64)
    if not bool(torch.isfinite(one).all() and torch.isfinite(other).all()):
        return None
    size = max(float(torch.linalg.vector_norm(other)), 1e-3)
    difference = float(torch.linalg.vector_norm(one - other))
    return True if difference <= EQUAL_RTOL * size else False if difference >= DIFFERENT_RTOL * size else None


def different_sizes(line: Line, chance: random.Random) -> dict[Symbol, int]:
    """No two sizes are equal."""
    return dict(zip(line.symbols, chance.sample(range(2, 8 + len(line.symbols)), len(line.symbols)), strict=True))


def equal_sizes(line: Line) -> dict[Symbol, int]:
    return dict.fromkeys(line.symbols, EQUAL_SIZE)


def size_texts(line: Line, sizes: Mapping[Symbol, int]) -> dict[str, str]:
    """{name that the line reads: its shape, its value where it is a size, or that it is a number}"""
    shapes = {name: format_shape([sizes.get(each, 1) for each in shape]) for name, shape in line.shapes.items()}
    found = shapes | {name: str(sizes.get(symbol, 1)) for name, symbol in line.sizes.items()}
    found |= dict.fromkeys(line.numbers, "a number")
    return {name: found[name] for name in line.at.names if name in found}


def sizes_given(line: Line, sizes: Mapping[Symbol, int]) -> str:
    """ "Here `dh` is (4, 3) and `n` is 4.", for example."""
    parts = [f"`{name}` is {text}" for name, text in size_texts(line, sizes).items()]
    head = ", ".join(parts[:-1]) + (" and " if parts[:-1] else "")
    return f"Here {head}{parts[-1]}." if parts else ""


def claim_of(line: Line) -> dict[str, object]:
    """What a second computation needs in order to draw values for the line."""
    return {
        "line": line.at.code,
        "names": line.at.names,
        "shapes": line.shapes,
        "size_names": line.sizes,
        "positive": line.positive,
        "numbers": line.numbers,
        "arrays": line.arrays,
    }
