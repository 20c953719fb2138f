"""The figures of a lesson: its computational graph, from its forward.py, and those that its own figures.py draws.

A report shows the computational graph with a verdict on each gradient: see grader.publish.lesson_graph, which finds the
boxes of bold names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from grader.authoring.figures.layout import (
    NODE_HEIGHT,
    Layout,
    Node,
    NodeKind,
    all_reads_of,
    folded_names,
    kinds_of,
    lay_out,
    names_in_statement,
    parts_of,
    reads_of,
    shapes_of,
)
from grader.authoring.figures.svg import Drawing, tenths
from grader.errors import LessonError
from grader.lesson.course_modules import load_module
from grader.lesson.forward_statements import forward_statements
from grader.lesson.lesson import Lesson
from grader.results.wording import listed

MAX_FIGURE_WIDTH, BETWEEN, FIGURE_MARGIN, PADDING = 410.0, 18.0, 6.0, 24.0
"""A picture that is wider becomes too small to read on a telephone of 360 pixels."""

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


def lesson_graph_svg(lesson: Lesson) -> str:
    """The SVG of a lesson that has a forward pass. Raises LessonError when forward.py does not run."""
    graph, statements, reads = lesson.public.graph, forward_statements(lesson), reads_of(lesson)
    done = {name: operations(statements.get(name, ""), reads) for name in reads}
    required = {item.target for item in lesson.gradients if item.target}
    title = f"Computational graph of lesson {lesson.number}"
    return graph_picture(
        title,
        reads,
        shapes_of(graph, reads),
        kinds_of(graph, reads),
        done,
        required,
        back=reads_back(lesson, list(reads)),
    )


def reads_back(lesson: Lesson, order: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """{(name, what a repetition of its loop reads of the one before): such as "h[2] reads h[1]"}.

    `reads_of` leaves these out: an arrow would lead backwards.
    """
    folded, found = folded_names(lesson.public.graph), dict[tuple[str, str], list[str]]()
    for member, parents in all_reads_of(lesson).items():
        name = folded.get(member, member)
        for parent in parents:
            earlier = folded.get(parent, parent)
            if order.index(earlier) >= order.index(name):
                found.setdefault((name, earlier), []).append(f"{member} reads {parent}")
    return found


def graph_picture(
    title: str,
    reads: Mapping[str, Sequence[str]],
    shapes: Mapping[str, str],
    kinds: Mapping[str, NodeKind],
    done: Mapping[str, str],
    required: Collection[str],
    legend: Mapping[str, str] = LEGEND,
    back: Mapping[tuple[str, str], Sequence[str]] = MappingProxyType({}),
) -> str:
    """The SVG of the graph `reads` ({name: what it reads}, in forward order).

    `shapes` and `done` are each value's shape and operations as text, `required` the values whose gradients a student
    writes. `legend` says what the kinds of boxes mean; without "shared", those values are drawn like others. `back`
    is what a value of a loop reads of the repetition before: a sentence instead of an arrow.
    """
    labels = {name: f"{shapes[name]}  {done[name]}".rstrip() for name in reads}
    layouts = [lay_out(part, {name: labels[name] for name in part}, kinds, PADDING) for part in parts_of(reads)]
    used = {parent for parents in reads.values() for parent in parents}
    readers = [parents for name, parents in reads.items() if name in used or kinds[name] != "fused"]
    readers += [[earlier] for _, earlier in back]
    shared = {name for name in reads if "shared" in legend and sum(name in parents for parents in readers) > 1}
    places, width, height = arrange(layouts)
    seen = {"given": "input" in kinds.values(), "step": "step" in kinds.values(), "fused": "fused" in kinds.values()}
    seen |= {"required": bool(required & reads.keys()), "shared": bool(shared)}
    entries = [name for name in legend if seen[name]]
    notes = [f"{', '.join(each[:2])}{', and so on' if len(each) > 2 else ''}." for each in back.values()]
    lines = len(entries) + len(notes)
    drawing = Drawing(width, height + 22 * lines + 14, title, " ".join([description_of(reads, done), *notes]))
    for layout, (x, y) in zip(layouts, places, strict=True):
        drawing.moved(x, y)
        for edge in layout.edges:
            drawing.path(round_coordinates(edge.path), "line edge", arrow=True)
        for node in layout.nodes:
            box(drawing, node, node.name in required, node.name in shared)
            left = node.x + (14 if node.kind == "input" else 9)
            baseline = 16 if shapes[node.name] or done[node.name] else NODE_HEIGHT / 2 + 5
            drawing.text(left, node.y + baseline, node.name, "code ink bold" if node.name in required else "code ink")
            drawing.text(left, node.y + 32, shapes[node.name], "code small muted")
            if done[node.name]:
                right = node.x + node.width - 9
                drawing.text(right, node.y + 32, done[node.name], "code small blue bold", "end")
        drawing.back()
    for line, entry in enumerate(entries):
        legend_entry(drawing, entry, legend[entry], FIGURE_MARGIN + 10, height + 6 + 22 * line)
    for line, note in enumerate(notes, len(entries)):
        drawing.text(FIGURE_MARGIN + 10, height + 18 + 22 * line, note, "small ink")
    return drawing.svg()


def round_coordinates(path: str) -> str:
    """The path with its coordinates to a tenth of a pixel."""
    return re.sub(r"\d+\.\d+", lambda found: tenths(float(found[0])), path)


def arrange(layouts: Sequence[Layout]) -> tuple[list[tuple[float, float]], float, float]:
    """(the top left corner of each drawing, width, height): in rows, from left to right."""
    places: list[tuple[float, float]] = []
    x = y = FIGURE_MARGIN
    row = widest = 0.0
    for layout in layouts:
        if x > FIGURE_MARGIN and x + layout.width > MAX_FIGURE_WIDTH:
            x, y, row = FIGURE_MARGIN, y + row + BETWEEN, 0.0
        places.append((x, y))
        x += layout.width + BETWEEN
        row, widest = max(row, layout.height), max(widest, x - BETWEEN)
    return places, max(widest, 300.0) + FIGURE_MARGIN, y + row


def box(drawing: Drawing, node: Node, required: bool, shared: bool) -> None:
    fill, line = ("blue-box", "blue-line") if required else ("box", "edge")
    radius = NODE_HEIGHT / 2 if node.kind == "input" else 5
    dashed = " dashed" if node.kind == "fused" else ""
    if shared:
        drawing.rectangle(node.x + 4, node.y + 4, node.width, NODE_HEIGHT, f"{fill} {line}", radius)
    drawing.rectangle(node.x, node.y, node.width, NODE_HEIGHT, f"{fill} {line}{dashed}", radius)


def legend_entry(drawing: Drawing, entry: str, meaning: str, x: float, y: float) -> None:
    """A line of the legend: a small box, and what it means."""
    fill, line = ("blue-box", "blue-line") if entry == "required" else ("box", "edge")
    radius = 8 if entry == "given" else 3
    if entry == "shared":
        drawing.rectangle(x + 4, y + 4, 30, 16, f"{fill} {line}", radius)
    drawing.rectangle(x, y, 30, 16, f"{fill} {line}{' dashed' if entry == 'fused' else ''}", radius)
    if entry == "required":
        drawing.text(x + 15, y + 12, "x", "code ink bold", "middle")
    drawing.text(x + 44, y + 12, meaning, "small ink")


def description_of(reads: Mapping[str, Sequence[str]], done: Mapping[str, str]) -> str:
    """The graph as sentences, for a screen reader: `z is computed from x, W and b (@ +).`"""
    given = [name for name, parents in reads.items() if not parents]
    lines = [f"Given: {', '.join(given)}."]
    for name, parents in reads.items():
        if parents:
            operations = f" ({done[name]})" if done[name] else ""
            lines.append(f"{name} is computed from {listed(parents)}{operations}.")
    return " ".join(lines)


def operations(statement: str, values: Collection[str]) -> str:
    """The operations of a line of the forward pass, in the order in which they run: `@ +` of `z = x @ W + b`.

    Only those on `values` count: `1 / n`, for a plain number n, is left out.
    """
    try:
        tree = ast.parse(statement).body
    except SyntaxError:
        return ""
    return " ".join(operations_in(tree[0].value, values)) if tree and isinstance(tree[0], ast.Assign) else ""


def operations_in(node: ast.expr, values: Collection[str]) -> Iterator[str]:
    if not any(isinstance(inner, ast.Name) and inner.id in values for inner in ast.walk(node)):
        return
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield from operations_in(node.func.value, values)
        of_module = isinstance(node.func, ast.Name) or not names_in_statement(ast.unparse(node.func)) & set(values)
        for argument in node.args if of_module else ():  # a method's arguments are sizes and axes
            yield from operations_in(argument, values)
        yield node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    elif isinstance(node, ast.BinOp):
        yield from operations_in(node.left, values)
        yield from operations_in(node.right, values)
        yield OPERATOR_SIGNS.get(type(node.op), "?")
    elif isinstance(node, ast.UnaryOp):
        yield from operations_in(node.operand, values)
        yield OPERATOR_SIGNS.get(type(node.op), "?")
    elif isinstance(node, ast.Subscript):
        yield from operations_in(node.value, values)
        yield "[ ]"
    elif isinstance(node, ast.Attribute):  # `.values` of a maximum
        yield from operations_in(node.value, values)


GRAPH, OWN = "graph.svg", "figures.py"


def figures_of(lesson: Lesson) -> dict[str, str]:
    """{file name in the lesson's folder: SVG text}; empty for a lesson without a forward pass and without figures.py.

    figures.py has a function `figures()` that returns such a dict. Raises LessonError when a file does not run or
    `figures()` returns something else.
    """
    found: dict[str, str] = {}
    if (lesson.exercise / "forward.py").is_file() and lesson.gradients:
        found[GRAPH] = lesson_graph_svg(lesson)
    path = lesson.exercise / OWN
    if path.is_file():
        module = load_module(path, f"backprop_ninja_figures_{lesson.name}")
        own: object = getattr(module, "figures", dict)()
        for name, text in own.items() if isinstance(own, dict) else [("", own)]:
            if not isinstance(name, str) or not name.endswith(".svg") or "/" in name or not isinstance(text, str):
                raise LessonError(f"{path}: figures() must return a dict: the name of an .svg file, then its text.")
            if name in found:
                raise LessonError(f"{path}: {name} is the name of the computational graph. Choose another name.")
            found[name] = text
    return found
