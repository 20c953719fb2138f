"""A matrix's values as colours, a pixel per element, and a choice of its elements as rectangles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from grader.publish.report.png import Colour, Matrix, png

VALUE_LEVELS = 12
"""Colours on each side of zero; a level's opacity grows with the square root of the value, so that small ones show."""
NOT_FINITE = 2 * VALUE_LEVELS + 1
VALUE_COLOURS: tuple[Colour, ...] = (
    (0, 0, 0, 0),
    *((58, 124, 205, 255 * level // VALUE_LEVELS) for level in range(1, VALUE_LEVELS + 1)),
    *((208, 111, 0, 255 * level // VALUE_LEVELS) for level in range(1, VALUE_LEVELS + 1)),
    (110, 52, 190, 255),
)
CELL, MIN_CELL, WIDE, TALL = 14, 4, 320, 260
"""In CSS pixels: the largest and the smallest cell, and the size that a map should have."""


class Rectangle(NamedTuple):
    """Cells of a matrix, in cells."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class ValueMap:
    """`width` × `height` cells; `cell_width` and `cell_height` are in CSS pixels."""

    png: str  # a data URI
    width: int
    height: int
    cell_width: int
    cell_height: int


def value_map(values: Matrix, scale: float) -> ValueMap:
    """Draws `values`; `scale` is the absolute value that has the deepest colour."""
    width, height = len(values[0]), len(values)
    cell = max(MIN_CELL, min(CELL, WIDE // width, TALL // height))
    return ValueMap(
        png([[colour_number(value, scale) for value in row] for row in values], VALUE_COLOURS),
        width,
        height,
        max(cell, CELL) if width == 1 else cell,
        max(cell, CELL) if height == 1 else cell,
    )


def colour_number(value: float, scale: float) -> int:
    """The place in VALUE_COLOURS of a value."""
    if not math.isfinite(value):
        return NOT_FINITE
    share = min(1.0, abs(value) / scale) if scale > 0 else float(value != 0)
    level = math.ceil(VALUE_LEVELS * math.sqrt(share)) if share > 1e-9 else 0
    return level + (VALUE_LEVELS if value > 0 and level else 0)


def rectangles(mask: Sequence[Sequence[bool]]) -> list[Rectangle]:
    """The chosen cells as rectangles: runs within a row, equal runs of neighbouring rows joined."""
    found: list[Rectangle] = []
    for y, row in enumerate(mask):
        for x, width in runs(row):
            above = next((n for n, r in enumerate(found) if (r.x, r.width, r.y + r.height) == (x, width, y)), None)
            if above is None:
                found.append(Rectangle(x, y, width, 1))
            else:
                found[above] = found[above]._replace(height=found[above].height + 1)
    return found


def runs(row: Sequence[bool]) -> list[tuple[int, int]]:
    """(start, length) of each run of True."""
    edges = [x for x in range(len(row) + 1) if (x > 0 and row[x - 1]) != (x < len(row) and row[x])]
    return [(start, end - start) for start, end in zip(edges[::2], edges[1::2], strict=True)]
