"""The drawing of a computational graph: where its nodes and edges are. Without torch, which computing one needs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from grader.results.typed_json import from_json, to_json

NodeKind = Literal["input", "step", "fused"]
NODE_HEIGHT = 40
"""Of a node, in CSS pixels."""


@dataclass(frozen=True)
class Node:
    """A named value; `x` and `y` are its top left corner."""

    name: str
    shape: str
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


@dataclass(frozen=True, eq=False)
class Layout:
    """A whole drawing; only itself is equal to it."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    width: float
    height: float


def layouts_to_text(layouts: Sequence[Layout]) -> str:
    return json.dumps(to_json(layouts), separators=(",", ":"))


def layouts_from_text(text: str) -> tuple[Layout, ...]:
    """What `layouts_to_text` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    layouts: tuple[Layout, ...] = from_json(tuple[Layout, ...], json.loads(text))
    return layouts
