"""A small SVG writer for pictures in a README: light and dark, readable without colour, the same text everywhere.

Colours are classes of templates/figures/style.css, so that one file serves both modes: a browser applies
`prefers-color-scheme` inside an `<img>`, too. Coordinates are rounded to a tenth of a pixel; no font is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal
from xml.sax.saxutils import escape

from jinja2 import Environment

from grader.publish.templates import text_templates

Anchor = Literal["start", "middle", "end"]

HEADS = {colour: f"head-{colour}" for colour in ("edge", "ink-line", "grid", "blue-line", "orange-line")}
"""{the class of a line's colour: the class and id of an arrow's head}"""


class Drawing:
    """A picture of `width` by `height` CSS pixels. `title` and `description` are for screen readers.

    `classes` are names in style.css, with a space between them.
    """

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        self.width, self.height, self.title, self.description = width, height, title, description
        self._parts: list[str] = []

    def rectangle(self, x: float, y: float, width: float, height: float, classes: str, radius: float = 0) -> None:
        corner = f' rx="{tenths(radius)}"' if radius else ""
        self._parts.append(
            f'<rect class="{classes}" x="{tenths(x)}" y="{tenths(y)}" width="{tenths(width)}" '
            f'height="{tenths(height)}"{corner}/>'
        )

    def circle(self, x: float, y: float, radius: float, classes: str) -> None:
        self._parts.append(f'<circle class="{classes}" cx="{tenths(x)}" cy="{tenths(y)}" r="{tenths(radius)}"/>')

    def line(self, points: Sequence[tuple[float, float]], classes: str, arrow: bool = False) -> None:
        self.path("M" + "L".join(f"{tenths(x)} {tenths(y)}" for x, y in points), f"line {classes}", arrow)

    def path(self, data: str, classes: str, arrow: bool = False) -> None:
        """`arrow`: with a head at the end, in the line's colour."""
        heads = [HEADS[each] for each in classes.split() if each in HEADS]
        head = f' marker-end="url(#{heads[0]})"' if arrow else ""
        self._parts.append(f'<path class="{classes}" d="{data}"{head}/>')

    def text(self, x: float, y: float, content: str, classes: str = "ink", anchor: Anchor = "start") -> None:
        """`y` is the baseline."""
        where = "" if anchor == "start" else f" {anchor}"
        self._parts.append(
            f'<text class="{classes}{where}" x="{tenths(x)}" y="{tenths(y)}" xml:space="preserve">'
            f"{escape(content)}</text>"
        )

    def cells(
        self,
        x: float,
        y: float,
        rows: Sequence[Sequence[str]],
        width: float = 30,
        height: float = 22,
        column: int | None = None,
        row: int | None = None,
        classes: str = "",
    ) -> None:
        """A matrix of `rows`, each cell with its text. One column or row is emphasised: by colour and by bold text."""
        for i, line in enumerate(rows):
            for j, content in enumerate(line):
                chosen = j == column or i == row
                fill = "blue-box blue-line" if chosen else "box edge"
                left, top = x + j * width, y + i * height
                self.rectangle(left, top, width, height, f"{fill} thin {classes}".rstrip())
                ink = "code small ink bold" if chosen else "code small ink"
                self.text(left + width / 2, top + height / 2 + 4, content, ink, "middle")

    def svg(self) -> str:
        return drawing_text(self.width, self.height, self.title, self.description, self._parts)


def drawing_text(width: float, height: float, title: str, description: str, shapes: Sequence[str]) -> str:
    """A whole picture; `shapes` are its elements as SVG."""
    about = {"width": width, "height": height, "title": title, "description": description}
    return figure_templates().get_template("drawing.svg").render(about, shapes=shapes, heads=HEADS.values())


@cache
def figure_templates() -> Environment:
    """The templates of pictures: a number is written as `tenths`, a text passes `xml`."""
    templates = text_templates("figures")
    templates.filters |= {"tenths": tenths, "xml": escape}
    return templates


def tenths(value: float) -> str:
    """A coordinate as text: rounded to a tenth of a pixel, without a trailing zero."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")
