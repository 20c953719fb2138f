"""The layout of a computational graph: where its boxes and lines are.

The steps of the forward pass are in one column, in the order in which they run. What is given is at the right, above
the first step that reads it. A line that passes a step runs down a lane at the left, so that none crosses a box. Parts
that have nothing to do with each other are drawings of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Reads = Mapping[str, Sequence[str]]
"""{name: what it reads}, in forward order; given values read nothing."""

NODE_HEIGHT, GAP, GAP_BETWEEN, LANE, MARGIN, PADDING, CHARACTER, SMALL_CHARACTER = 40, 24, 14, 16, 10.0, 24.0, 7.8, 6.7
"""In CSS pixels: a box, the space below it and next to it, a lane, the space at the left, the room left and right of a
text together, a letter of a name, one of a shape."""
MAX_GRAPH_WIDTH = 418
"""In a wider drawing, letters are smaller than 8 pixels on a telephone of 360 pixels."""


class Node(NamedTuple):
    """The box of a named value; `x` and `y` are its top left corner."""

    name: str
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        return round(self.x + self.width / 2, 1)

    @property
    def bottom(self) -> float:
        return self.y + NODE_HEIGHT


class Layout(NamedTuple):
    """A whole drawing. `lines` are {(value, its reader): the line's SVG path data}."""

    nodes: Mapping[str, Node]
    lines: Mapping[tuple[str, str], str]
    width: float
    height: float


def parts_of(reads: Reads) -> list[Reads]:
    """`reads` cut into parts that no line joins, in the order in which the forward pass comes to them."""
    parts = list[set[str]]()
    for name, parents in reads.items():
        joined = {name, *parents}.union(*(part for part in parts if not part.isdisjoint(parents)))
        parts = [*(part for part in parts if part.isdisjoint(joined)), joined]
    parts.sort(key=lambda part: next(place for place, name in enumerate(reads) if name in part))
    return [{name: reads[name] for name in reads if name in part} for part in parts]


def lay_out(reads: Reads, texts: Mapping[str, str]) -> Layout:
    """Place every name of a part, and draw a line for every read. `texts` are {name: the small text in its box}."""

    def width_of(names: Iterable[str], least: float) -> float:
        widths = (max(CHARACTER * len(name), SMALL_CHARACTER * len(texts[name])) for name in names)
        return PADDING + max(least, *widths)

    wide, narrow = width_of(reads, 74), width_of([name for name, parents in reads.items() if not parents], 46)
    lanes = lanes_of(reads)
    left = MARGIN + LANE * (1 + max(lanes.values(), default=-1))
    nodes, lines = placed(reads, left, wide, narrow), dict[tuple[str, str], str]()
    for name, parents in reads.items():
        end, direct = nodes[name], [nodes[parent] for parent in parents if (parent, name) not in lanes]
        direct.sort(key=lambda node: (node.x > left, node.y, node.x))  # the step above meets the middle
        apart = min(18.0, (end.width / 2 - 12) / max(1, len(direct)))
        for number, start in enumerate(direct):
            lines[start.name, name] = line_down(start, end, round(end.middle + number * apart, 1))
        for parent in parents:
            if (parent, name) in lanes:
                lines[parent, name] = line_in_lane(nodes[parent], end, left - LANE * (lanes[parent, name] + 0.75))
    width, height = max(node.x + node.width for node in nodes.values()), max(node.bottom for node in nodes.values())
    return Layout(nodes, lines, width + 4, height + 12)


def lanes_of(reads: Reads) -> dict[tuple[str, str], int]:
    """{(value, reader): the lane} of each line that passes a step; lane 0 is next to the boxes, for short lines."""
    steps = [name for name, parents in reads.items() if parents]
    rows = {name: float(row) for row, name in enumerate(steps, 1)}
    for step in steps:
        for parent in reads[step]:  # a given value is above the first step that reads it
            rows.setdefault(parent, rows[step] - 0.5 if rows[step] > 1 else 0)
    ends = {(parent, name): (rows[parent], rows[name]) for name in steps for parent in reads[name]}
    passing = {each: (top, low) for each, (top, low) in ends.items() if low - top > 1}
    lanes, found = list[list[tuple[float, float]]](), dict[tuple[str, str], int]()
    for each, (top, low) in sorted(passing.items(), key=lambda item: (item[1][1] - item[1][0], item[1][0])):
        free = (lane for lane, others in enumerate(lanes) if all(low <= a or top >= b for a, b in others))
        lane = found[each] = next(free, len(lanes))
        if lane == len(lanes):
            lanes.append([])
        lanes[lane].append((top, low))
    return found


def placed(reads: Reads, left: float, wide: float, narrow: float) -> dict[str, Node]:
    """The boxes: steps in a column at `left`, given values above their first reader, in as many rows as they need."""
    nodes, y, row_height = dict[str, Node](), 8.0, NODE_HEIGHT + GAP
    for name, parents in reads.items():
        if not parents:
            continue
        right = left + wide + GAP_BETWEEN
        x = right if nodes else left  # the very first given value begins the column
        for parent in parents:
            if parent in nodes:
                continue
            if x > right and x + narrow > MAX_GRAPH_WIDTH:
                x, y = right, y + row_height
            nodes[parent] = Node(parent, x, y, wide if x == left else narrow)
            x = right if x == left else x + narrow + GAP_BETWEEN
        y += row_height
        nodes[name] = Node(name, left, y, wide)
    return nodes or {name: Node(name, left, y, wide) for name in reads}


def line_down(start: Node, end: Node, port: float) -> str:
    """From the bottom of `start` to the top of `end` at `port`."""
    x, y = start.middle, start.bottom
    return f"M{x:g} {y:g}C{x:g} {y + 10:g} {port:g} {y + 6:g} {port:g} {y + 16:g}V{end.y - 1:g}"


def line_in_lane(start: Node, end: Node, lane: float) -> str:
    """From the left side of a step, or from the bottom of a given value, down the lane to the left side of `end`."""
    y, low = start.y + NODE_HEIGHT * 0.7, end.y + NODE_HEIGHT * 0.3
    head = f"M{start.x:g} {y:g}C{lane + 4:g} {y:g} {lane:g} {y + 2:g} {lane:g} {y + 16:g}"
    if start.x > end.x:
        x, y = start.middle, start.bottom
        head = f"M{x:g} {y:g}C{x:g} {y + GAP:g} {lane:g} {y:g} {lane:g} {y + GAP:g}"
    return f"{head}V{low - 16:g}C{lane:g} {low - 2:g} {lane + 4:g} {low:g} {end.x - 1:g} {low:g}"
