"""The picture of lesson 12, drawn by `grade figures`: along a row forward, along a column backward."""

from grader.authoring.figures.svg import Drawing

POSITIONS, SIZE, CHOSEN = 5, 28, 2


def figures():
    return {"rows.svg": rows()}


def rows():
    drawing = Drawing(
        400,
        252,
        "Forward along a row, backward along a column",
        "The weights of five positions, twice. The row is the position that reads, the column is the position that is "
        "read; above the diagonal nothing is read. Forward, position 3 reads positions 1 to 3, along its row. "
        "Backward, position 3 collects its gradient from positions 3 to 5, along its column.",
    )
    drawing.text(200, 26, "row: the position that reads; column: the position read", "small muted", "middle")
    for x, heading, words, chosen, marked in (
        (38, "forward", ("position 3 reads", "positions 1 to 3"), {"row": CHOSEN}, lambda t, s: t == CHOSEN),
        (
            230,
            "backward",
            ("position 3 collects", "from positions 3 to 5"),
            {"column": CHOSEN},
            lambda t, s: s == CHOSEN,
        ),
    ):
        middle = x + POSITIONS * SIZE / 2
        drawing.text(middle, 56, heading, "ink bold", "middle")
        cells = [["" if s > t else "●" if marked(t, s) else "·" for s in range(POSITIONS)] for t in range(POSITIONS)]
        drawing.cells(x, 66, cells, SIZE, SIZE, **chosen)
        for position in range(POSITIONS):
            drawing.text(x - 10, 66 + SIZE * position + 18, str(position + 1), "small muted", "middle")
        drawing.text(middle, 228, words[0], "small ink", "middle")
        drawing.text(middle, 243, words[1], "small ink", "middle")
    return drawing.svg()
