"""The figures of a lesson: its computational graph, from its forward.py, and those that its own figures.py draws.

A report shows the computational graph with a verdict on each gradient: see grader.publish.lesson_graph, which finds the
boxes of bold names.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from grader.authoring.figures.layout import Layout, Reads, lay_out, parts_of
from grader.authoring.figures.svg import drawing_text, figure_templates
from grader.dojo.start import FIGURES_SCRIPT
from grader.errors import LessonError
from grader.lesson.course_modules import load_module
from grader.lesson.forward_statements import forward_statements
from grader.lesson.lesson import Lesson
from grader.results.wording import format_shape, listed
from grader.source.parsing import parse_text
from grader.source.syntax import names_in

GRAPH = "graph.svg"
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
    path, own = lesson.exercise / FIGURES_SCRIPT, dict[str, str]()
    if path.is_file():
        own = getattr(load_module(path, f"backprop_ninja_figures_{lesson.name}"), "figures", dict)()
        is_dict = isinstance(own, dict) and all(isinstance(part, str) for item in own.items() for part in item)
        if not is_dict or any(not name.endswith(".svg") or "/" in name for name in own):
            raise LessonError(f"{path}: figures() must return a dict: the name of an .svg file, then its text.")
    if GRAPH in own or not lesson.gradients:
        return own
    reads, values = drawn_reads(lesson), lesson.public.values
    trees = {name: parse_text(statement) for name, statement in forward_statements(lesson).items()}
    done = {name: " ".join(operations(trees.get(name), reads)) for name in reads}
    shapes = {name: format_shape(values[name].shape) for name in reads}
    required, fused = [item.target for item in lesson.gradients], lesson.public.graph.fused
    title = f"Computational graph of lesson {lesson.number}"
    return {GRAPH: graph_picture(title, reads, shapes, done, required, fused), **own}


def drawn_reads(lesson: Lesson) -> Reads:
    """What each value reads, also those that are fused into a step. Raises LessonError when forward.py does not run.

    A value through which no gradient flows may read others all the same.
    """
    graph = lesson.public.finer
    read = {name: graph.parents.get(name) or graph.sources[name] for name in graph.names}
    return {name: tuple(each for each in graph.names if each in read[name]) for name in graph.names}


def graph_picture(
    title: str,
    reads: Reads,
    shapes: Mapping[str, str],
    done: Mapping[str, str],
    required: Collection[str | None] = (),
    fused: Collection[str] = (),
    legend: Mapping[str, str] = LEGEND,
) -> str:
    """The SVG of the graph `reads` ({name: what it reads}, in forward order).

    `shapes` and `done` are each value's shape and operations as text, `required` the values whose gradients a student
    writes, `fused` those that are computed inside a step. `legend` says what the kinds of boxes mean; without "shared",
    values that are read more than once are drawn like others.
    """
    labels = {name: f"{shapes[name]}  {done[name]}".rstrip() for name in reads}
    layouts = [lay_out(part, labels) for part in parts_of(reads)]
    places, width, height = arrange(layouts)
    given, used = {name for name in reads if not reads[name]}, {each for read in reads.values() for each in read}
    times = Counter(each for name, read in reads.items() if name in used or name not in fused for each in read)
    kinds: Mapping[str, Collection[str | None]] = {
        "given": given,
        "step": reads.keys() - given - {*fused},
        "fused": {*fused} - given,
        "required": required,
        "shared": [name for name, count in times.items() if count > 1],
    }
    traits = {name: [kind for kind in legend if name in kinds[kind]] for name in reads}
    legend = {kind: text for kind, text in legend.items() if any(kind in own for own in traits.values())}
    shown = {"parts": zip(layouts, places, strict=True), "traits": traits, "shapes": shapes, "operations": done}
    elements = figure_templates().get_template("graph.svg").render(shown, legend=legend, bottom=height)
    below = height + LEGEND_LINE * len(legend) + 14
    return drawing_text(width, below, title, description_of(reads, done), elements.splitlines())


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
