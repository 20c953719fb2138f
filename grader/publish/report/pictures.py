"""Small pictures of few colours, as PNG in a data URI: errors, forces and values, a pixel per element."""

from __future__ import annotations

import base64
import math
import struct
import zlib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Colour = tuple[int, int, int, int]
"""Red, green, blue, opacity, each from 0 to 255."""
Matrix = Sequence[Sequence[float]]


def png(cells: Sequence[Sequence[int]], palette: Sequence[Colour]) -> str:
    """The picture of `cells`, rows of numbers of colours in `palette`, as a data URI."""
    height, width = len(cells), len(cells[0])
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", b"".join(bytes(colour[:3]) for colour in palette)),
        (b"tRNS", bytes(colour[3] for colour in palette)),
        (b"IDAT", zlib.compress(b"".join(b"\0" + bytes(line) for line in cells), 9)),
        (b"IEND", b""),
    )
    data = b"\x89PNG\r\n\x1a\n"
    for kind, body in parts:
        data += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return "data:image/png;base64," + base64.b64encode(data).decode()


ERROR_LEVELS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
"""Where one colour of the heat map ends and the next begins, as shares of the reference's largest element."""

ERROR_COLOURS: tuple[Colour, ...] = (
    (0, 0, 0, 0),
    *((214, 40, 40, opacity) for opacity in (28, 66, 120, 180, 255)),
    (110, 52, 190, 255),
)
"""Clear where the value is right, then deeper with the error, which fits a light page and a dark one; violet where the
error is larger than the gradient itself."""

SCALE = tuple(zip(ERROR_COLOURS, ("right", "≤ 0.01 %", "≤ 0.1 %", "≤ 1 %", "≤ 10 %", "≤ 100 %", "more"), strict=True))


@dataclass(frozen=True)
class HeatMap:
    """An error's picture: a PNG of `width` × `height` blocks, and the block of the worst element."""

    png: str  # a data URI
    width: int
    height: int
    worst: tuple[int, int]  # column and row, in blocks
    wrong: int  # blocks


def level(error: float) -> int:
    """The colour's number for an error relative to the reference's largest element."""
    return 0 if error <= 0 else 1 + bisect_left(ERROR_LEVELS, error)


def heat_map(picture: Mapping[str, Any]) -> HeatMap:
    """Draws what `grader.verdict.judging.pictures.error_picture` found."""
    cells: list[list[float]] = picture["cells"]
    # leading dimensions were laid out as rows, too many rows or columns pooled into blocks: find the worst one's block
    errors = [(error, -y, -x) for y, line in enumerate(cells) for x, error in enumerate(line)]
    _, y, x = max(errors)
    return HeatMap(
        png([[level(error) for error in line] for line in cells], ERROR_COLOURS),
        len(cells[0]),
        len(cells),
        (-x, -y),
        sum(error > 0 for error, _, _ in errors),
    )


BOUNDS = (1e-3, 0.03, 0.1, 0.3)
"""Where one colour ends and the next begins, as shares of the right gradient's largest element."""

CLEAR: Colour = (0, 0, 0, 0)
FORCE_COLOURS: tuple[Colour, ...] = (
    CLEAR,
    *((58, 124, 205, opacity) for opacity in (70, 120, 180, 255)),
    *((208, 111, 0, opacity) for opacity in (70, 120, 180, 255)),
)
"""Pulled up in blue, pushed down in orange, the stronger the deeper."""

CANCELS = 1e-5
"""A row's forces cancel when their sum is at most this share of the sum of their sizes: float32 rounds."""


@dataclass(frozen=True)
class Arrow:
    """One class of an example: `found` and `expected` forces, up is positive, in shares of the longest arrow."""

    found: float
    expected: float


@dataclass(frozen=True)
class Forces:
    """All examples as a PNG of `width` × `height` cells, and one of them, number `example`, as arrows."""

    png: str
    width: int
    height: int
    example: int
    arrows: tuple[Arrow, ...]
    cancelling: int  # examples whose forces cancel

    @property
    def right(self) -> bool:
        """Whether the example's arrows are as they should be, as far as one can see."""
        return all(abs(arrow.found - arrow.expected) < 5e-3 for arrow in self.arrows)


def forces(found: Matrix, expected: Matrix) -> Forces:
    """The forces of the gradient `found`, (examples, classes); the example drawn is the one most off, or the first."""
    largest = max(abs(value) for row in expected for value in row) or 1.0
    off = [max(abs(a - b) for a, b in zip(*rows, strict=True)) for rows in zip(found, expected, strict=True)]
    example = off.index(max(off)) if max(off) > CANCELS * largest else 0
    longest = max(abs(value) for value in (*found[example], *expected[example])) or 1.0
    return Forces(
        png([[colour(-value / largest) for value in row] for row in found], FORCE_COLOURS),
        len(found[0]),
        len(found),
        example,
        tuple(Arrow(-a / longest, -b / longest) for a, b in zip(found[example], expected[example], strict=True)),
        sum(abs(sum(row)) <= CANCELS * sum(map(abs, row)) for row in found),
    )


def colour(force: float) -> int:
    """The colour's number for a force, up is positive, as a share of the right gradient's largest element."""
    strength = sum(abs(force) > bound for bound in BOUNDS)
    return strength + (len(BOUNDS) if force < 0 and strength else 0)


VALUE_LEVELS = 12
"""Colours on each side of zero; a level's opacity grows with the square root of the value, so that small ones show."""
NOT_FINITE = 2 * VALUE_LEVELS + 1
VALUE_COLOURS: tuple[Colour, ...] = (
    (0, 0, 0, 0),
    *((58, 124, 205, 255 * level // VALUE_LEVELS) for level in range(1, VALUE_LEVELS + 1)),
    *((208, 111, 0, 255 * level // VALUE_LEVELS) for level in range(1, VALUE_LEVELS + 1)),
    (110, 52, 190, 255),
)
CELL, LEAST_CELL, WIDE, TALL = 14, 4, 320, 260
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
    cell = max(LEAST_CELL, min(CELL, WIDE // width, TALL // height))
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
