"""The picture of lesson 11, drawn by `grade figures`: what shares a mean in batch norm and in layer norm."""

from grader.authoring.figures.svg import Drawing

EXAMPLES, FEATURES, SIZE = 5, 6, 24


def figures():
    return {"axes.svg": axes()}


def axes():
    drawing = Drawing(
        400,
        246,
        "Batch norm and layer norm normalise along different axes",
        "A block with a row for each position and a column for each feature, twice. Batch norm: the numbers of a "
        "column share a mean and a variance. Layer norm: the numbers of a row share a mean and a variance.",
    )
    blank = [[""] * FEATURES for _ in range(EXAMPLES)]
    drawing.text(200, 28, "rows are positions, columns are features", "small muted", "middle")
    for x, heading, words, chosen in (
        (30, "batch norm", "a column shares mean and variance", {"column": 2}),
        (226, "layer norm", "a row shares mean and variance", {"row": 2}),
    ):
        drawing.text(x + FEATURES * SIZE / 2, 58, heading, "ink bold", "middle")
        marked = [
            ["●" if j == chosen.get("column") or i == chosen.get("row") else each for j, each in enumerate(line)]
            for i, line in enumerate(blank)
        ]
        drawing.cells(x, 70, marked, SIZE, SIZE, **chosen)
        drawing.text(x + FEATURES * SIZE / 2, 212, words.partition(" shares ")[0] + " shares", "small ink", "middle")
        drawing.text(x + FEATURES * SIZE / 2, 227, words.partition(" shares ")[2], "small ink", "middle")
    return drawing.svg()
