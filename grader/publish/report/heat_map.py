"""The heat map of an error: a pixel per element."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.publish.report.png import Colour, png

ERROR_LEVELS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
"""Where one colour of the heat map ends and the next begins, as shares of the reference's largest element."""

ERROR_COLOURS: tuple[Colour, ...] = (
    (0, 0, 0, 0),
    *((214, 40, 40, opacity) for opacity in (28, 66, 120, 180, 255)),
    (110, 52, 190, 255),
)
"""Clear where the value is right, then deeper with the error, which fits a light page and a dark one; violet where the
error is larger than the gradient itself."""

COLOUR_SCALE = tuple(
    zip(ERROR_COLOURS, ("right", "≤ 0.01 %", "≤ 0.1 %", "≤ 1 %", "≤ 10 %", "≤ 100 %", "more"), strict=True)
)


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
    """Draws what `grader.verdict.judge.pictures.error_picture` found."""
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
