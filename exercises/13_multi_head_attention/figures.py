"""The picture of lesson 13, drawn by `grade figures`: a group's copies forward, their sum backward."""

from grader.authoring.figures.svg import Drawing

HEADS, GROUPS, WIDTH, HEIGHT, GAP = 4, 2, 76, 30, 16


def figures():
    return {"groups.svg": groups()}


def groups():
    drawing = Drawing(
        400,
        300,
        "A group's key and value are copied forward, and their gradients are added backward",
        "Four query heads in two groups, twice. Forward, an arrow leads from each group to both of its heads: a copy. "
        "Backward, the arrows lead from the two heads to their group: a sum.",
    )
    for top, heading, is_forward in ((30, "forward: a copy for each head", True), (180, "backward: a sum", False)):
        drawing.text(200, top - 6, heading, "ink bold", "middle")
        for group in range(GROUPS):
            x = 200 + (group - 0.5) * 2 * (WIDTH + GAP) - WIDTH / 2
            drawing.cells(x, top + 6, [[f"group {group}"]], WIDTH, HEIGHT, row=0)
        for head in range(HEADS):
            x = 200 + (head - 1.5) * (WIDTH + GAP) - WIDTH / 2
            drawing.cells(x, top + 76, [[f"head {head}"]], WIDTH, HEIGHT)
            of_group = (200 + (head // 2 - 0.5) * 2 * (WIDTH + GAP) + (10 if head % 2 else -10), top + 6 + HEIGHT + 4)
            of_head = (x + WIDTH / 2, top + 72)
            drawing.line([of_group, of_head] if is_forward else [of_head, of_group], "blue-line thick", arrow=True)
    return drawing.svg()
