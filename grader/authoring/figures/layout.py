"""The layout of a lesson's computational graph as the forward pass runs: where its nodes and edges are.

Layers run from top to bottom, one for each step of the forward pass. A layer's steps read values above it: values
computed earlier in the first column, parameters next to them. An edge that skips layers runs down a lane at the left.
Parts that have nothing to do with each other are drawings of their own. What a loop repeats is one box.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from grader.lesson.forward_statements import forward_statements
from grader.lesson.lesson import Lesson
from grader.reference.tape import Graph, is_floating
from grader.results.wording import format_shape
from grader.source.parsing import parse_text
from grader.source.syntax import names_in, stored_names

Reads = Mapping[str, Sequence[str]]
NodeKind = Literal["input", "step", "fused"]

NODE_HEIGHT, GAP, GAP_BETWEEN, LANE, PADDING, CHARACTER, SMALL_CHARACTER = 40, 24, 14, 16, 24.0, 7.8, 6.7
"""In CSS pixels: a node, the space under it and next to it, a lane for edges that skip layers, the room left
and right of a text together, a letter of a name, one of a shape."""
MAX_GRAPH_WIDTH = 418
"""A wider drawing, with its margins, has letters smaller than 8 pixels on a telephone of 360 pixels."""


@dataclass(frozen=True)
class Node:
    """A named value; `x` and `y` are its top left corner."""

    name: str
    kind: NodeKind
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        return self.y + NODE_HEIGHT


@dataclass(frozen=True)
class Edge:
    """`start` is read by `end`; `path` is the line's SVG path data."""

    start: str
    end: str
    path: str


@dataclass(frozen=True)
class Layout:
    """A whole drawing."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    width: float
    height: float


@dataclass(frozen=True)
class DrawnGraph:
    """What is drawn of a lesson's graph. Values that a loop appends to a list are one name, `h[0…2]`.

    Attributes:
        reads: {name: the floating values its line reads}, fused values between them included, in forward order.
        shapes: {name: its value's shape as text}
        kinds: {name: what kind of value it is}
        back: {(name, what a repetition of its loop reads of the one before): such as "h[2] reads h[1]"}
    """

    reads: dict[str, tuple[str, ...]]
    shapes: dict[str, str]
    kinds: dict[str, NodeKind]
    back: dict[tuple[str, str], list[str]]


def drawn_graph(lesson: Lesson) -> DrawnGraph:
    """Raises LessonError when forward.py does not run."""
    graph, folded = lesson.public.graph, folded_names(lesson.public.graph)
    lines, fused = forward_statements(lesson), {name for name in graph.fused if is_floating(graph.values[name])}
    drawn = [name for name in graph.values if name in graph.names or name in fused]
    found, parents_of = DrawnGraph({}, {}, {}, {}), dict[str, set[str]]()
    for name in drawn:
        label, tree = folded.get(name, name), parse_text(lines.get(name, ""))
        if label not in parents_of:
            parents_of[label] = set()
            found.shapes[label] = format_shape(graph.values[name].shape)
            found.kinds[label] = "input" if name in graph.inputs else "fused" if name in graph.fused else "step"
        before = list(parents_of)[: list(parents_of).index(label)]
        read = names_in(tree) - stored_names(tree) if tree is not None else set[str]()
        through_fused = {source for other in read & fused for source in graph.sources[other]}
        behind = graph.sources[name] if name in fused else graph.parents.get(name, ())
        direct = {parent for parent in behind if parent in read or parent not in through_fused} | (read & fused)
        for parent in (each for each in drawn if each in direct):
            earlier = folded.get(parent, parent)
            if earlier in before:
                parents_of[label].add(earlier)
            else:
                found.back.setdefault((label, earlier), []).append(f"{name} reads {parent}")
    for label, parents in parents_of.items():
        found.reads[label] = tuple(each for each in parents_of if each in parents)
    return found


def folded_names(graph: Graph) -> dict[str, str]:
    """{name: the name of the whole group} for members of a list that one line appends: `h[0…2]` for `h[1]`."""
    found: dict[str, str] = {}
    for name, members in graph.lists.items():
        for place in dict.fromkeys(graph.places[member] for member in members):
            numbers = [number for number, member in enumerate(members) if graph.places[member] == place]
            if len(numbers) > 1:
                found.update((members[number], f"{name}[{numbers[0]}…{numbers[-1]}]") for number in numbers)
    return found


def parts_of(reads: Reads) -> list[Reads]:
    """`reads` cut into parts that no line joins, in the order in which the forward pass comes to them."""
    part = {name: name for name in reads}

    def root(name: str) -> str:
        while part[name] != name:
            name = part[name]
        return name

    for name, parents in reads.items():
        for parent in parents:
            part[root(parent)] = root(name)
    roots = dict.fromkeys(root(name) for name in reads)
    return [{name: reads[name] for name in reads if root(name) == each} for each in roots]


def layers_of(reads: Reads, rooms: Mapping[str, float], widest: float) -> dict[str, int]:
    """{name: its layer}: below all it reads, inputs just above their first reader.

    `rooms` are widths. A name for which a layer has no room comes into a later one, an input into an earlier one.
    """
    depth: dict[str, int] = {}
    used: defaultdict[int, float] = defaultdict(float)

    def place(name: str, layer: int, towards: int) -> None:
        room = rooms[name]
        while used[layer] and used[layer] + room > widest:
            layer += towards
        depth[name] = layer
        used[layer] += room

    inputs = [name for name, parents in reads.items() if not parents]
    depth.update(dict.fromkeys(inputs, 0))
    for name, parents in reads.items():  # forward order: parents come first
        if parents:
            place(name, 1 + max(depth[parent] for parent in parents), 1)
    for name in inputs:
        readers = [depth[other] for other in reads if name in reads[other]]
        place(name, min(readers) - 1 if readers else 0, -1)
    first = min(depth.values(), default=0)
    return {name: layer - first for name, layer in depth.items()}


def lanes_of(reads: Reads, layers: Mapping[str, int]) -> dict[tuple[str, str], int]:
    """{(parent, name): the lane} of every read that skips a layer; lane 0 is next to the nodes, for short ones."""
    skipping = [(parent, name) for name in reads for parent in reads[name] if layers[name] - layers[parent] > 1]
    skipping.sort(key=lambda edge: (layers[edge[1]] - layers[edge[0]], layers[edge[0]]))
    lanes: list[list[tuple[int, int]]] = []
    lane_of: dict[tuple[str, str], int] = {}
    for edge in skipping:
        top, low = layers[edge[0]], layers[edge[1]]
        free = (i for i, others in enumerate(lanes) if all(low <= a or top >= b for a, b in others))
        lane = lane_of[edge] = next(free, len(lanes))
        if lane == len(lanes):
            lanes.append([])
        lanes[lane].append((top, low))
    return lane_of


def lay_out(reads: Reads, texts: Mapping[str, str], kinds: Mapping[str, NodeKind]) -> Layout:
    """Places every name of `reads` ({name: what it reads}, in forward order) and draws a line for every read.

    `texts` are {name: the small text below it}. A drawing that would be wider than MAX_GRAPH_WIDTH has more layers
    instead, as far as that helps.
    """
    for widest in (math.inf, *range(MAX_GRAPH_WIDTH - 10, MAX_GRAPH_WIDTH // 2, -20)):
        layout = place_all(reads, texts, kinds, widest)
        if layout.width <= MAX_GRAPH_WIDTH:
            break
    return layout


def place_all(reads: Reads, texts: Mapping[str, str], kinds: Mapping[str, NodeKind], widest: float) -> Layout:
    """A drawing whose layers have at most this width, without the lanes on the left."""
    inputs = [name for name in reads if kinds[name] == "input"]
    read = {parent for parents in reads.values() for parent in parents}

    def room_for(names: Iterable[str], least: float) -> float:
        widths = (max(CHARACTER * len(name), SMALL_CHARACTER * len(texts[name])) for name in names)
        return PADDING + max(least, *widths, 0)

    narrow, wide = room_for(inputs, 46), room_for(reads, 74)
    layers = layers_of(reads, {name: GAP_BETWEEN + (narrow if name in inputs else wide) for name in reads}, widest)
    lane_of = lanes_of(reads, layers)
    left = LANE * (1 + max(lane_of.values(), default=-1)) + 10.0
    placed: dict[str, Node] = {}
    column: dict[str, int] = {}
    for layer in range(max(layers.values(), default=-1) + 1):
        members = [name for name in reads if layers[name] == layer]
        near = {n: min((column[p] for p in reads[n]), default=0) for n in members}
        members.sort(key=lambda n: (n in inputs, kinds[n] == "fused" and n not in read, near[n]))
        x = left
        for number, name in enumerate(members):
            # the first column keeps one width, so that the spine of the graph is a straight line
            room = narrow if number and name in inputs else wide
            placed[name] = Node(name, kinds[name], x, 8.0 + layer * (NODE_HEIGHT + GAP), room)
            column[name] = number
            x += room + GAP_BETWEEN
    nodes = tuple(placed[name] for name in reads)
    edges = []
    for name, parents in reads.items():
        at_left = [p for p in parents if (p, name) in lane_of and column[p] == column[name] == 0]
        above = [placed[p] for p in parents if p not in at_left]
        port = dict(zip((p.name for p in above), ports(placed[name], above), strict=True))
        for parent in parents:
            lane = lane_of.get((parent, name))
            down = None if lane is None else left - LANE * (lane + 0.75)
            edges.append(Edge(parent, name, path(placed[parent], placed[name], port.get(parent), down)))
    width = max((n.x + n.width for n in nodes), default=0) + 4
    return Layout(nodes, tuple(edges), width, max((n.bottom for n in nodes), default=0) + 12)


def ports(node: Node, parents: Sequence[Node]) -> list[float]:
    """Where each parent's line meets the top of `node`: in the parents' order, the one right above in the middle."""
    order = sorted(range(len(parents)), key=lambda i: parents[i].middle)
    middle = min(range(len(order)), key=lambda i: abs(parents[order[i]].middle - node.middle), default=0)
    step = min(18.0, (node.width - 24) / 2 / max(1, len(order)))
    places = [0.0] * len(parents)
    for place, index in enumerate(order):
        places[index] = node.middle + (place - middle) * step
    return places


def path(start: Node, end: Node, port: float | None, lane: float | None) -> str:
    """From the bottom of `start` to the top of `end` at `port`, down the lane if any; without a port, side to side."""
    if lane is not None and port is None:
        y, low = start.y + NODE_HEIGHT * 0.7, end.y + NODE_HEIGHT * 0.3
        return (
            f"M{start.x:g} {y:g}C{lane + 4:g} {y:g} {lane:g} {y + 2:g} {lane:g} {y + 16:g}V{low - 16:g}"
            f"C{lane:g} {low - 2:g} {lane + 4:g} {low:g} {end.x - 1:g} {low:g}"
        )
    x, y, low = start.middle, start.bottom, end.y
    port = end.middle if port is None else port
    if lane is None:
        half = (y + low) / 2
        return f"M{x:g} {y:g}C{x:g} {half:g} {port:g} {half:g} {port:g} {low - 1:g}"
    return (
        f"M{x:g} {y:g}C{x:g} {y + GAP:g} {lane:g} {y:g} {lane:g} {y + GAP:g}V{low - GAP:g}"
        f"C{lane:g} {low:g} {port:g} {low - GAP:g} {port:g} {low - 1:g}"
    )
