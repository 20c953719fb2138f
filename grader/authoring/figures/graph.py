"""The figures of a lesson: its computational graph, from its forward.py, and those that its own figures.py draws.

A report shows the computational graph with a verdict on each gradient: see grader.publish.lesson_graph, which finds the
boxes of bold names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from grader.authoring.figures.layout import NODE_HEIGHT, Layout, Node, drawn_reads, lay_out, parts_of
from grader.authoring.figures.svg import Drawing, tenths
from grader.errors import LessonError
from grader.lesson.course_modules import load_module
from grader.lesson.forward_statements import forward_statements
from grader.lesson.lesson import Lesson
from grader.results.wording import listed
from grader.source.parsing import parse_text
from grader.source.syntax import names_in

GRAPH, OWN = "graph.svg", "figures.py"
MAX_FIGURE_WIDTH, BETWEEN, FIGURE_MARGIN = 410.0, 18.0, 6.0
"""A picture that is wider becomes too small to read on a telephone of 360 pixels."""
LEGEND_LINE = 22

OPERATOR_SIGNS: Mapping[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.USub: "-",
}
LEGEND: Mapping[str, str] = {
    "given": "given",
    "step": "computed: one step of the forward pass",
    "fused": "computed inside a step: no gradient to return",
    "required": "bold: you write its gradient",
    "shared": "read more than once: gradients add up",
}


def figures_of(lesson: Lesson) -> dict[str, str]:
    """{file name in the lesson's folder: SVG text}; empty for a lesson without a forward pass and without figures.py.

    figures.py has a function `figures()` that returns such a dict; it may draw graph.svg itself. Raises LessonError
    when a file does not run or `figures()` returns something else.
    """
    path, own = lesson.exercise / OWN, dict[str, str]()
    if path.is_file():
        own = getattr(load_module(path, f"backprop_ninja_figures_{lesson.name}"), "figures", dict)()
        is_dict = isinstance(own, dict) and all(isinstance(part, str) for item in own.items() for part in item)
        if not is_dict or any(not name.endswith(".svg") or "/" in name for name in own):
            raise LessonError(f"{path}: figures() must return a dict: the name of an .svg file, then its text.")
    if GRAPH in own or not lesson.gradients:
        return own
    reads, shapes, kinds = drawn_reads(lesson)
    trees = {name: parse_text(statement) for name, statement in forward_statements(lesson).items()}
    done = {name: " ".join(operations(trees.get(name), reads)) for name in reads}
    required = {item.target for item in lesson.gradients if item.target}
    title = f"Computational graph of lesson {lesson.number}"
    return {GRAPH: graph_picture(title, reads, shapes, kinds, done, required), **own}


def graph_picture(
    title: str,
    reads: Mapping[str, Sequence[str]],
    shapes: Mapping[str, str],
    kinds: Mapping[str, str],
    done: Mapping[str, str],
    required: Collection[str],
    legend: Mapping[str, str] = LEGEND,
) -> str:
    """The SVG of the graph `reads` ({name: what it reads}, in forward order).

    `kinds` are `input`, `step` or `fused`. `shapes` and `done` are each value's shape and operations as text,
    `required` the values whose gradients a student writes. `legend` says what the kinds of boxes mean; without
    "shared", values that are read more than once are drawn like others.
    """
    labels = {name: f"{shapes[name]}  {done[name]}".rstrip() for name in reads}
    layouts = [lay_out(part, labels) for part in parts_of(reads)]
    places, width, height = arrange(layouts)
    used = {parent for parents in reads.values() for parent in parents}
    readers = [parents for name, parents in reads.items() if name in used or kinds[name] != "fused"]
    traits = {name: {"given" if kinds[name] == "input" else kinds[name]} for name in reads}
    for name in reads:
        if name in required:
            traits[name].add("required")
        if "shared" in legend and sum(name in parents for parents in readers) > 1:
            traits[name].add("shared")
    entries = [entry for entry in legend if any(entry in own for own in traits.values())]
    drawing = Drawing(width, height + LEGEND_LINE * len(entries) + 14, title, description_of(reads, done))
    for layout, place in zip(layouts, places, strict=True):
        drawing.moved(*place)
        for line in layout.lines.values():
            rounded = re.sub(r"\d+\.\d+", lambda found: tenths(float(found[0])), line)
            drawing.path(rounded, "line edge", arrow=True)
        for node in layout.nodes.values():
            draw_node(drawing, node, shapes[node.name], done[node.name], traits[node.name])
        drawing.back()
    left = FIGURE_MARGIN + 10
    for number, entry in enumerate(entries):
        top = height + 6 + LEGEND_LINE * number
        draw_box(drawing, (left, top, 30, 16), 8 if entry == "given" else 3, {entry})
        if entry == "required":
            drawing.text(left + 15, top + 12, "x", "code ink bold", "middle")
        drawing.text(left + 44, top + 12, legend[entry], "small ink")
    return drawing.svg()


def draw_node(drawing: Drawing, node: Node, shape: str, done: str, traits: Collection[str]) -> None:
    """A value's box, with its name, its shape and the operations that compute it."""
    is_given = "given" in traits
    draw_box(drawing, (node.x, node.y, node.width, NODE_HEIGHT), NODE_HEIGHT / 2 if is_given else 5, traits)
    left, right = node.x + (14 if is_given else 9), node.x + node.width - 9
    baseline = node.y + (16 if shape or done else NODE_HEIGHT / 2 + 5)
    drawing.text(left, baseline, node.name, "code ink bold" if "required" in traits else "code ink")
    drawing.text(left, node.y + 32, shape, "code small muted")
    if done:
        drawing.text(right, node.y + 32, done, "code small blue bold", "end")


def draw_box(
    drawing: Drawing, place: tuple[float, float, float, float], radius: float, traits: Collection[str]
) -> None:
    """A box at (x, y, width, height): its traits "required", "shared" and "fused" are a colour, a second box behind
    it, and dashes.
    """
    x, y, width, height = place
    colours = "blue-box blue-line" if "required" in traits else "box edge"
    if "shared" in traits:
        drawing.rectangle(x + 4, y + 4, width, height, colours, radius)
    drawing.rectangle(x, y, width, height, f"{colours} dashed" if "fused" in traits else colours, radius)


def arrange(layouts: Sequence[Layout]) -> tuple[list[tuple[float, float]], float, float]:
    """(the top left corner of each drawing, width, height): in rows, from left to right."""
    places, x, y, row, widest = list[tuple[float, float]](), FIGURE_MARGIN, FIGURE_MARGIN, 0.0, 345.0
    for layout in layouts:
        if x > FIGURE_MARGIN and x + layout.width > MAX_FIGURE_WIDTH:
            x, y, row = FIGURE_MARGIN, y + row + BETWEEN, 0.0
        places.append((x, y))
        x += layout.width + BETWEEN
        row, widest = max(row, layout.height), max(widest, x - BETWEEN)
    return places, widest + FIGURE_MARGIN, y + row


def description_of(reads: Mapping[str, Sequence[str]], done: Mapping[str, str]) -> str:
    """The graph as sentences, for a screen reader: `z is computed from x, W and b (@ +).`"""
    lines = [f"Given: {', '.join(name for name, parents in reads.items() if not parents)}."]
    for name, parents in reads.items():
        if parents:
            lines.append(f"{name} is computed from {listed(parents)}{f' ({done[name]})' if done[name] else ''}.")
    return " ".join(lines)


def operations(node: ast.AST | None, values: Collection[str]) -> Iterator[str]:
    """The operations of a line of the forward pass, in the order in which they run: `@`, `+` of `z = x @ W + b`.

    Only those on `values` count: `1 / n`, for a plain number n, is left out.
    """
    inner, sign = list[ast.AST](), ""
    match node:
        case ast.Module(body=[ast.Assign(value=value), *_]) | ast.Attribute(value=value):  # `.values` of a maximum
            inner = [value]
        case ast.Call(func=ast.Attribute(value=owner, attr=sign)) if not names_in(owner).isdisjoint(values):
            inner = [owner]  # a method's arguments are sizes and axes
        case ast.Call(func=func, args=arguments):
            inner, sign = [*arguments], func.attr if isinstance(func, ast.Attribute) else ast.unparse(func)
        case ast.BinOp(op=op) | ast.UnaryOp(op=op):
            inner, sign = [*ast.iter_child_nodes(node)], OPERATOR_SIGNS.get(type(op), "?")
        case ast.Subscript(value=value):
            inner, sign = [value], "[ ]"
    for each in inner:
        if not names_in(each).isdisjoint(values):
            yield from operations(each, values)
    if sign:
        yield sign
