"""Matrices as pictures of a pixel per element: values, errors, and a gradient of logits as forces."""

from __future__ import annotations

import base64
import math
import struct
import zlib
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

Colour = tuple[int, int, int, int]
"""Red, green, blue, opacity, each from 0 to 255."""
Matrix = Sequence[Sequence[float]]

VALUE_LEVELS = 12
"""Colours on each side of zero; a level's opacity grows with the square root of the value, so that small ones show."""
NOT_FINITE = 2 * VALUE_LEVELS + 1
VIOLET: Colour = (110, 52, 190, 255)
VALUE_COLOURS: tuple[Colour, ...] = (
    (0, 0, 0, 0),
    *((58, 124, 205, 255 * level // VALUE_LEVELS) for level in range(1, VALUE_LEVELS + 1)),
    *((208, 111, 0, 255 * level // VALUE_LEVELS) for level in range(1, VALUE_LEVELS + 1)),
    VIOLET,
)
"""Blue below zero, orange above it, the deeper the larger."""
ERROR_LEVELS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
"""Where one colour of an error ends and the next begins, as shares of the reference's largest element."""
ERROR_COLOURS: tuple[Colour, ...] = (
    (0, 0, 0, 0),
    *((214, 40, 40, opacity) for opacity in (28, 66, 120, 180, 255)),
    VIOLET,
)
"""Clear where the value is right, then deeper with the error, which fits a light page and a dark one; violet where the
error is larger than the gradient itself."""
COLOUR_SCALE = tuple(
    zip(ERROR_COLOURS, ("right", "≤ 0.01 %", "≤ 0.1 %", "≤ 1 %", "≤ 10 %", "≤ 100 %", "more"), strict=True)
)
CELL, MIN_CELL, WIDE, TALL = 14, 4, 384, 300
"""In CSS pixels: the largest and the smallest cell, and the size that a picture should have."""
CANCELS = 1e-5
"""A row's forces cancel when their sum is at most this share of the sum of their sizes: float32 rounds."""


class MatrixPicture(NamedTuple):
    """`width` × `height` cells; `cell_width` and `cell_height` are in CSS pixels."""

    png: str  # a data URI
    width: int
    height: int
    cell_width: int
    cell_height: int


def matrix_picture(numbers: Sequence[Sequence[int]], palette: Sequence[Colour]) -> MatrixPicture:
    """The picture of a matrix of numbers of colours in `palette`, as a PNG of a pixel per cell."""
    width, height = len(numbers[0]), len(numbers)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", b"".join(bytes(colour[:3]) for colour in palette)),
        (b"tRNS", bytes(colour[3] for colour in palette)),
        (b"IDAT", zlib.compress(b"".join(b"\0" + bytes(line) for line in numbers), 9)),
        (b"IEND", b""),
    )
    data = b"\x89PNG\r\n\x1a\n"
    for kind, body in parts:
        data += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    uri = "data:image/png;base64," + base64.b64encode(data).decode()
    cell = max(MIN_CELL, min(CELL, WIDE // width, TALL // height))
    return MatrixPicture(
        uri, width, height, max(cell, CELL) if width == 1 else cell, max(cell, CELL) if height == 1 else cell
    )


def value_map(values: Matrix, scale: float) -> MatrixPicture:
    """The picture of `values`; `scale` is the absolute value that has the deepest colour."""

    def level(value: float) -> int:
        if not math.isfinite(value):
            return NOT_FINITE
        share = min(1.0, abs(value) / scale) if scale > 0 else float(value != 0)
        deep = math.ceil(VALUE_LEVELS * math.sqrt(share)) if share > 1e-9 else 0
        return deep + (VALUE_LEVELS if value > 0 and deep else 0)

    return matrix_picture([[level(value) for value in row] for row in values], VALUE_COLOURS)


class ErrorMap(NamedTuple):
    """The picture of an error, the column and row of its worst cell, and how many cells are wrong."""

    picture: MatrixPicture
    worst: tuple[int, int]
    wrong: int


def error_map(cells: Matrix) -> ErrorMap:
    """The picture of errors relative to the reference's largest element, as grader.verdict.judge.pictures has them."""
    _, y, x = max((error, -y, -x) for y, line in enumerate(cells) for x, error in enumerate(line))
    levels = [[0 if error <= 0 else 1 + bisect_left(ERROR_LEVELS, error) for error in line] for line in cells]
    wrong = sum(error > 0 for line in cells for error in line)
    return ErrorMap(matrix_picture(levels, ERROR_COLOURS), (-x, -y), wrong)


class Forces(NamedTuple):
    """A gradient of logits as forces, which pull up one class's probability (blue) and push down the others (orange).

    All examples are a picture, and one of them, number `example`, is drawn as arrows: for each class the found and the
    expected force, up is positive, in shares of the longest arrow. `cancelling` counts examples whose forces cancel.
    """

    picture: MatrixPicture
    example: int
    arrows: tuple[tuple[float, float], ...]
    cancelling: int

    @property
    def right(self) -> bool:
        """Whether the example's arrows are as they should be, as far as one can see."""
        return all(abs(found - expected) < 5e-3 for found, expected in self.arrows)


def forces(found: Matrix, expected: Matrix) -> Forces:
    """The forces of the gradient `found`, (examples, classes); the example drawn is the one most off, or the first."""
    largest = max(abs(value) for row in expected for value in row) or 1.0
    off = [max(abs(a - b) for a, b in zip(*rows, strict=True)) for rows in zip(found, expected, strict=True)]
    example = off.index(max(off)) if max(off) > CANCELS * largest else 0
    longest = max(abs(value) for value in (*found[example], *expected[example])) or 1.0
    return Forces(
        value_map(found, largest),
        example,
        tuple((-a / longest, -b / longest) for a, b in zip(found[example], expected[example], strict=True)),
        sum(abs(sum(row)) <= CANCELS * sum(map(abs, row)) for row in found),
    )
