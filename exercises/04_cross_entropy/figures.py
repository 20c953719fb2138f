"""The picture of lesson 04, drawn by `grade figures`: one row of dlogits as forces on the logits."""

from grader.authoring.figures.svg import Drawing

TRUE, SCALE = 2, 100
CASES = (("on its way", (0.1, 0.2, 0.7)), ("confident and wrong", (0.7, 0.2, 0.1)))


def figures():
    return {"forces.svg": forces()}


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
