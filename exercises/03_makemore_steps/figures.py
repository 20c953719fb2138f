"""The picture of lesson 03, drawn by `grade figures`: a broadcast product, forward and backward, as blocks."""

from grader.authoring.figures.svg import Drawing

COUNTS = [[1, 1, 1, 1], [2, 1, 1, 1], [5, 2, 2, 1]]
DPROBS = [[1, 0, -1, 2], [2, -1, 0, 3], [0, 1, 1, -1]]
WIDE, HIGH = 28, 24


def figures():
    return {"broadcast.svg": broadcast()}


def broadcast():
    drawing = Drawing(
        412,
        432,
        "probs = counts * counts_sum_inv, forward and backward",
        "With three examples and four characters. Forward: each number of the column counts_sum_inv is copied to the "
        "four places of its row and multiplied by counts. Backward: the products counts * dprobs of each row are "
        "added up to one number of the column dcounts_sum_inv.",
    )
    inverse = [1 / sum(row) for row in COUNTS]
    drawing.text(14, 26, "forward: one number per row is copied", "ink bold")
    cells(drawing, 14, 62, "counts", COUNTS)
    drawing.text(138, 102, "*", "code ink bold", "middle")
    cells(drawing, 150, 62, "counts_sum_inv", [[value] for value in inverse])
    drawing.cells(150 + WIDE, 62, [[written(value)] * 3 for value in inverse], WIDE, HIGH, row=1, classes="dashed")
    drawing.text(150 + 2.5 * WIDE, 152, "copies", "small muted", "middle")
    drawing.text(274, 102, "=", "code ink bold", "middle")
    cells(drawing, 286, 62, "probs", [[c * f for c in row] for row, f in zip(COUNTS, inverse, strict=True)])

    drawing.line([(14, 168), (398, 168)], "thin grid")
    drawing.text(14, 196, "backward: what comes back from a row is added", "ink bold")
    cells(drawing, 14, 232, "counts", COUNTS)
    drawing.text(138, 272, "*", "code ink bold", "middle")
    cells(drawing, 150, 232, "dprobs", DPROBS)
    drawing.text(274, 272, "=", "code ink bold", "middle")
    products = [[a * b for a, b in zip(*rows, strict=True)] for rows in zip(COUNTS, DPROBS, strict=True)]
    cells(drawing, 286, 232, "products", products)
    for place in range(3):
        y = 360 + HIGH * place
        drawing.line([(150 - 8, y), (286 - 6, y)], "blue-line thick" if place == 1 else "edge", arrow=True)
    cells(drawing, 14, 348, "products, again", products)
    drawing.text(212, 340, "add each row", "small ink bold", "middle")
    cells(drawing, 286, 348, "dcounts_sum_inv", [[sum(row)] for row in products])
    drawing.text(324, 388, "shape (3, 1)", "small muted")
    return drawing.svg()


def cells(drawing, x, y, name, rows):
    drawing.text(x, y - 8, name, "code small ink bold")
    drawing.cells(x, y, [[written(value) for value in row] for row in rows], WIDE, HIGH, row=1)


def written(value):
    """`.25` for 0.25, so that it fits into a cell."""
    return f"{value:g}".replace("0.", ".")
