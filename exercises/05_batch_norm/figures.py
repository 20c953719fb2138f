"""The picture of lesson 05, drawn by `grade figures`: the three paths of one number through batch norm."""

from itertools import pairwise

from grader.authoring.figures.svg import Drawing

PLACES, APART, LEFT, SIZE = 5, 62, 66, 13
CHOSEN = 2
NAMES = ["x₁", "x₂", "xⱼ", "x₄", "x₅"]


def figures():
    return {"three_paths.svg": three_paths()}


def three_paths():
    drawing = Drawing(
        400,
        590,
        "The three paths of one number through batch norm",
        "A column of five numbers x and the five normalised numbers z, three times. Path 1, directly: xj leads to zj "
        "alone. Path 2, through the mean: xj leads to the mean, and the mean to all five z. Path 3, through the "
        "variance: xj leads to the variance v, that to s, and s to all five z.",
    )
    panel(drawing, 0, "1", "directly", [], "μ and v are held fixed. xⱼ moves one z, its own.", "solid")
    panel(drawing, 176, "2", "through the mean", ["μ"], "v is held fixed. xⱼ moves μ, and μ moves every z.", "dashed")
    panel(
        drawing,
        352,
        "3",
        "through the variance",
        ["v", "s"],
        "μ is held fixed. xⱼ moves v, v moves s, s every z.",
        "dotted",
    )
    drawing.line([(14, 544), (386, 544)], "thin grid")
    drawing.text(14, 562, "The gradient comes back along the same arrows. Where arrows", "small ink")
    drawing.text(14, 578, "part, add what comes back. At xⱼ, add the three paths.", "small ink")
    return drawing.svg()


def panel(drawing, top, number, heading, between, words, dash):
    if top:
        drawing.line([(14, top + 8), (386, top + 8)], "thin grid")
    drawing.text(14, top + 28, f"{number}  {heading}", "ink bold")
    drawing.text(14, top + 45, words, "small muted")
    high, low = top + 72, top + 158
    xs = [LEFT + 4 + APART * place for place in range(PLACES)]
    line = f"blue-line thick {dash}" if dash != "solid" else "blue-line thick"
    if not between:
        drawing.line([(xs[CHOSEN], high + SIZE), (xs[CHOSEN], low - SIZE - 3)], line, arrow=True)
    else:
        middle = (high + low) / 2
        spots = [(xs[CHOSEN] + 70 * index - 35 * (len(between) - 1), middle) for index in range(len(between))]
        drawing.line([(xs[CHOSEN], high + SIZE), (spots[0][0], middle - 12)], line, arrow=True)
        for (x, y), (following, _) in pairwise(spots):
            drawing.line([(x + 12, y), (following - 14, y)], line, arrow=True)
        for x in xs:
            drawing.line([(spots[-1][0], middle + 11), (x, low - SIZE - 3)], line, arrow=True)
        for (x, y), name in zip(spots, between, strict=True):
            drawing.rectangle(x - 12, y - 11, 24, 22, "orange-box orange-line", 4)
            drawing.text(x, y + 4, name, "ink bold", "middle")
    for place, x in enumerate(xs):
        chosen = place == CHOSEN
        drawing.circle(x, high, SIZE, "blue-box blue-line thick" if chosen else "box edge")
        drawing.text(x, high + 4, NAMES[place], "small ink bold" if chosen else "small ink", "middle")
        reached = bool(between) or chosen
        drawing.circle(x, low, SIZE, "blue-box blue-line" if reached else "box edge dotted")
        name = NAMES[place].replace("x", "z")
        drawing.text(x, low + 4, name, "small ink bold" if reached else "small muted", "middle")
    drawing.text(30, high + 4, "x", "code ink")
    drawing.text(30, low + 4, "z", "code ink")
