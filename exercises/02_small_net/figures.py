"""The picture of lesson 02, drawn by `grade figures`: one number in a matrix product, forward and backward."""

from grader.authoring.figures.svg import Drawing

WIDE, HIGH = 34, 26
DIGITS = "₀₁₂"


def figures():
    return {"one_number.svg": one_number()}


def one_number():
    drawing = Drawing(
        400,
        344,
        "One number in a matrix product",
        "Y = A @ B with A of shape (3, 2), B (2, 3) and Y (3, 3). Forward: the number A00 is multiplied by the first "
        "row of B and reaches the first row of Y, and no other. Backward: dA00 is the sum over that row of dY times "
        "the first row of B.",
    )
    drawing.text(14, 26, "forward: A₀₀ reaches one row of Y", "ink bold")
    matrix(drawing, 34, 64, "A", 3, 2, {(0, 0)})
    drawing.text(126, 108, "@", "code ink bold", "middle")
    matrix(drawing, 144, 64, "B", 2, 3, {(0, 0), (0, 1), (0, 2)})
    drawing.text(266, 108, "=", "code ink bold", "middle")
    matrix(drawing, 284, 64, "Y", 3, 3, {(0, 0), (0, 1), (0, 2)})
    drawing.line([(14, 160), (386, 160)], "thin grid")
    drawing.text(14, 188, "backward: dA₀₀ adds up that row", "ink bold")
    matrix(drawing, 14, 226, "dY", 1, 3, {(0, 0), (0, 1), (0, 2)}, wide=42)
    drawing.text(156, 243, "*", "code ink bold", "middle")
    matrix(drawing, 174, 226, "B", 1, 3, {(0, 0), (0, 1), (0, 2)})
    drawing.line([(282, 239), (336, 239)], "blue-line thick", arrow=True)
    drawing.text(308, 229, "add", "small ink bold", "middle")
    matrix(drawing, 342, 226, "dA", 1, 1, {(0, 0)}, wide=42)
    drawing.text(14, 286, "A₀₀ is multiplied by three numbers, so three terms come back.", "small ink")
    drawing.text(14, 304, "Do the same for each number of A. Then look for the matrix", "small ink")
    drawing.text(14, 322, "product that computes all these sums at once.", "small ink")
    return drawing.svg()


def matrix(drawing, x, y, name, rows, columns, chosen, wide=WIDE):
    drawing.text(x, y - 8, name, "code ink bold")
    for i in range(rows):
        for j in range(columns):
            content = f"{name}{DIGITS[i]}{DIGITS[j]}"
            drawing.cells(x + wide * j, y + HIGH * i, [[content]], wide, HIGH, row=0 if (i, j) in chosen else None)
