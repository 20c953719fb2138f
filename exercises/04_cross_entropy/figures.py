"""The pictures of lesson 04, drawn by `grade figures`: dlogits as forces on the logits, of one row and of a batch."""

import math
from pathlib import Path

import torch

from grader.authoring.figures.svg import Drawing
from grader.lesson.course_modules import load_module

TRUE, SCALE = 2, 100
CASES = (("on its way", (0.1, 0.2, 0.7)), ("confident and wrong", (0.7, 0.2, 0.1)))


def figures():
    return {"forces.svg": forces(), "batch.svg": batch()}


SEED, CELL, LEFT, TOP = 2147483647, 13.5, 20, 34


def batch():
    """dlogits of the published problem: squares whose area is the size of an element."""
    forward = load_module(Path(__file__).with_name("forward.py"), "backprop_ninja_forward_04_for_figures")
    given = forward.inputs(torch.Generator().manual_seed(SEED))
    forces_of_rows = [
        forces_on(row, true) for row, true in zip(given["logits"].tolist(), given["Yb"].tolist(), strict=True)
    ]
    rows, columns = len(forces_of_rows), len(forces_of_rows[0])
    drawing = Drawing(
        LEFT + columns * CELL + 20,
        TOP + rows * CELL + 44,
        "dlogits of a batch",
        "One row per example, one column per class. In every row one large blue square marks the true class; the other "
        "squares are orange, most of them tiny. Together they are as large as the blue one.",
    )
    drawing.text(LEFT, TOP - 12, f"dlogits: {rows} examples (rows), {columns} classes (columns)", "small ink")
    right, bottom = LEFT + columns * CELL, TOP + rows * CELL
    drawing.line([(LEFT, TOP), (right, TOP), (right, bottom), (LEFT, bottom), (LEFT, TOP)], "thin grid")
    for i, row in enumerate(forces_of_rows):
        for j, force in enumerate(row):
            side = (CELL - 1.5) * math.sqrt(min(abs(force), 1.0))
            if side >= 0.5:
                x, y = LEFT + (j + 0.5) * CELL - side / 2, TOP + (i + 0.5) * CELL - side / 2
                drawing.rectangle(x, y, side, side, "blue" if force < 0 else "orange")
    drawing.rectangle(LEFT, bottom + 16, 9, 9, "blue")
    drawing.text(LEFT + 15, bottom + 25, "pulled up: the true class", "small ink")
    drawing.rectangle(LEFT + 170, bottom + 18, 5, 5, "orange")
    drawing.text(LEFT + 181, bottom + 25, "pushed down", "small ink")
    return drawing.svg()


def forces_on(logits, true):
    """One row of dlogits, times n."""
    top = max(logits)
    sizes = [math.exp(logit - top) for logit in logits]
    return [size / sum(sizes) - (place == true) for place, size in enumerate(sizes)]


def forces():
    drawing = Drawing(
        400,
        318,
        "Forces on the logits",
        "Two examples with three classes; class 2 is the true one. Probabilities 0.1, 0.2, 0.7: classes 0 and 1 are "
        "pushed down by 0.1 and 0.2, class 2 is pulled up by 0.3. Probabilities 0.7, 0.2, 0.1: classes 0 and 1 are "
        "pushed down by 0.7 and 0.2, class 2 is pulled up by 0.9. The forces of each example cancel.",
    )
    for x, (heading, probabilities) in zip((14, 212), CASES, strict=True):
        panel(drawing, x, heading, probabilities)
    drawing.line([(204, 14), (204, 270)], "thin grid")
    drawing.text(200, 302, "In each example, up and down cancel: the row sums to zero.", "small ink", "middle")
    return drawing.svg()


def panel(drawing, x, heading, probabilities):
    base = 142
    drawing.text(x, 26, heading, "ink bold")
    drawing.line([(x, base), (x + 174, base)], "thin ink-line")
    drawing.text(x, 232, "class", "small muted")
    drawing.text(x, 250, "prob.", "small muted")
    drawing.text(x, 268, "dlogits", "small muted")
    for place, probability in enumerate(probabilities):
        true = place == TRUE
        gradient = probability - true
        middle = x + 62 + 46 * place
        line = "blue-line thick" if true else "orange-line thick dashed"
        drawing.line([(middle, base), (middle, base + SCALE * gradient)], line, arrow=True)
        drawing.circle(middle, base, 3.5, "blue-box blue-line" if true else "orange-box orange-line")
        bold = "code small ink bold" if true else "code small ink"
        drawing.text(middle, 232, f"{place}" + (" true" if true else ""), bold, "middle")
        drawing.text(middle, 250, f"{probability:g}", bold, "middle")
        drawing.text(middle, 268, f"{gradient:+.1f}", bold, "middle")
