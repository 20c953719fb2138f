"""A gradient of the logits as forces, which pull up the probability of one class and push down the others."""

from __future__ import annotations

from dataclasses import dataclass

from grader.publish.report.png import Colour, Matrix, png

BOUNDS = (1e-3, 0.03, 0.1, 0.3)
"""Where one colour ends and the next begins, as shares of the right gradient's largest element."""

TRANSPARENT: Colour = (0, 0, 0, 0)
FORCE_COLOURS: tuple[Colour, ...] = (
    TRANSPARENT,
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
