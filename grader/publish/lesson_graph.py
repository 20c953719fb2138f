"""A lesson's computational graph in its report: the figure graph.svg of the lesson, and where each value's box is.

`grade figures` draws the figure. A lesson without one has no graph in its reports.
"""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from grader.lesson.lesson import Lesson

GRAPH_FILE = "graph.svg"
SVG = "{http://www.w3.org/2000/svg}"


class Box(NamedTuple):
    """Of a value, in CSS pixels; `x` and `y` are its top left corner."""

    x: float
    y: float
    width: float
    height: float
    radius: float


class LessonGraph(NamedTuple):
    """`image` is the figure as a data URI, `boxes` are {value whose gradient a student writes: its box}."""

    image: str
    width: float
    height: float
    boxes: Mapping[str, Box]


@lru_cache(maxsize=64)  # every student's report has it
def lesson_figure(lesson: Lesson) -> LessonGraph | None:
    """The graph of a lesson with gradients; None without a figure that can be read."""
    try:
        data = (lesson.exercise / GRAPH_FILE).read_bytes() if lesson.gradients else b""
        root = ElementTree.fromstring(data)
    except (OSError, ElementTree.ParseError):
        return None
    boxes = dict[str, Box]()
    for group in root.iter(f"{SVG}g"):
        right, down = map(float, re.findall(r"-?[\d.]+", group.get("transform", "0 0")))
        box = Box(0, 0, 0, 0, 0)
        for element in group:
            if element.tag == f"{SVG}rect":
                x, y, *size = (float(element.get(name, "0")) for name in ("x", "y", "width", "height", "rx"))
                box = Box(x + right, y + down, *size)
            elif element.tag == f"{SVG}text" and {"code", "ink", "bold"} <= {*element.get("class", "").split()}:
                boxes[element.text or ""] = box
    uri = "data:image/svg+xml;base64," + base64.b64encode(data).decode()
    return LessonGraph(uri, float(root.get("width", "0")), float(root.get("height", "0")), boxes)
