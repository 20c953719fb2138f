"""A small SVG writer for pictures in a README: light and dark, readable without colour, the same text everywhere.

Colours are classes (see STYLE), so that one file serves both modes: a browser applies `prefers-color-scheme` inside an
`<img>`, too. Coordinates are rounded to a tenth of a pixel, and no measurement of a font is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from xml.sax.saxutils import escape

Anchor = Literal["start", "middle", "end"]

COLOURS = {
    # class: (property, light, dark)
    "page": ("fill", "#ffffff", "#0d1117"),
    "ink": ("fill", "#1f2328", "#e6edf3"),
    "muted": ("fill", "#59636e", "#9198a1"),
    "blue": ("fill", "#0550ae", "#79c0ff"),
    "orange": ("fill", "#953800", "#ffa657"),
    "box": ("fill", "#ffffff", "#161b22"),
    "blue-box": ("fill", "#ddf4ff", "#12314f"),
    "orange-box": ("fill", "#fff1e5", "#4a2a0b"),
    "grey-box": ("fill", "#eaeef2", "#2d333b"),
    "edge": ("stroke", "#59636e", "#9198a1"),
    "ink-line": ("stroke", "#1f2328", "#e6edf3"),
    "grid": ("stroke", "#d1d9e0", "#3d444d"),
    "blue-line": ("stroke", "#0969da", "#58a6ff"),
    "orange-line": ("stroke", "#bc4c00", "#f0883e"),
}
STYLE = """\
text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif }
.code { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
.small { font-size: 11px } .bold { font-weight: 700 } .italic { font-style: italic }
.start { text-anchor: start } .middle { text-anchor: middle } .end { text-anchor: end }
.line { fill: none; stroke-width: 1.5 } .thick { stroke-width: 2.5 } .thin { stroke-width: 1 }
.dashed { stroke-dasharray: 5 3 } .dotted { stroke-dasharray: 2 3 }
"""


class Drawing:
    """A picture of `width` by `height` CSS pixels. `title` and `description` are for screen readers.

    `classes` are names in COLOURS and STYLE, with a space between them.
    """

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        self.width, self.height, self.title, self.description = width, height, title, description
        self._parts: list[str] = []
        self._arrows: dict[str, None] = {}

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
        head = ""
        if arrow:
            colour = next(each for each in classes.split() if COLOURS.get(each, ("",))[0] == "stroke")
            self._arrows[colour] = None
            head = f' marker-end="url(#head-{colour})"'
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

    def moved(self, x: float, y: float) -> None:
        """What is drawn until `back` is moved by (x, y)."""
        self._parts.append(f'<g transform="translate({tenths(x)} {tenths(y)})">')

    def back(self) -> None:
        self._parts.append("</g>")

    def svg(self) -> str:
        size = f"{tenths(self.width)} {tenths(self.height)}"
        wide, high = size.split()
        heads = "".join(
            f'<marker id="head-{colour}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            f'markerUnits="userSpaceOnUse" orient="auto"><path class="{fill_of(colour)}" d="M0 0L8 4L0 8Z"/></marker>\n'
            for colour in self._arrows
        )
        names = {each for part in self._parts for each in classes_in(part)} | {"page", *self._arrows}
        names |= {f"head-{colour}" for colour in self._arrows}
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{wide}" height="{high}" '
            f'role="img" aria-labelledby="title description">\n'
            f'<title id="title">{escape(self.title)}</title>\n'
            f'<desc id="description">{escape(self.description)}</desc>\n'
            f"<style>\n{STYLE}{colours(names, dark=False)}"
            f"@media (prefers-color-scheme: dark) {{\n{colours(names, dark=True)}}}\n</style>\n"
            + (f"<defs>\n{heads}</defs>\n" if heads else "")
            + f'<rect class="page" width="{wide}" height="{high}" rx="6"/>\n'
            + "\n".join(self._parts)
            + "\n</svg>\n"
        )


def tenths(value: float) -> str:
    """A coordinate as text: rounded to a tenth of a pixel, without a trailing zero."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def fill_of(colour: str) -> str:
    """The class of an arrow's head for a line of that colour."""
    return f"head-{colour}"


def classes_in(part: str) -> list[str]:
    return part.partition('class="')[2].partition('"')[0].split()


def colours(names: set[str], dark: bool) -> str:
    rules = []
    for name, (what, light, night) in COLOURS.items():
        colour = night if dark else light
        if name in names:
            rules.append(f".{name} {{ {what}: {colour} }}\n")
        if fill_of(name) in names:
            rules.append(f".{fill_of(name)} {{ fill: {colour} }}\n")
    return "".join(rules)
