"""The pictures of lesson 01, drawn by `grade figures`: sum and broadcast as matching blocks; tanh and its slope."""

import math

from grader.authoring.figures.svg import Drawing

NUMBERS = [[2, 5, 1], [0, 3, 4], [1, 1, 2], [3, -2, 1]]
ROW = [4, -1, 3]


def figures():
    return {"sum_and_broadcast.svg": sum_and_broadcast(), "tanh.svg": tanh()}


def sum_and_broadcast():
    drawing = Drawing(
        400,
        478,
        "Sum and broadcast mirror each other",
        "Four panels with a block of 4 rows and 3 columns and a row of 3 numbers. Sum forward: the block is added up "
        "to the row, column by column. Sum backward: the row is copied to every row of the block. Broadcast forward: "
        "the row is copied to every row of the block. Broadcast backward: the block is added up to the row.",
    )
    summed = [sum(column) for column in zip(*NUMBERS, strict=True)]
    for x, heading, forward, backward in (
        (12, "y = x.sum(0)", ("x", "y", NUMBERS, summed, True), ("dx", "dy", [ROW] * 4, ROW, False)),
        (208, "y = x.broadcast_to((4, 3))", ("y", "x", [ROW] * 4, ROW, False), ("dy", "dx", NUMBERS, summed, True)),
    ):
        drawing.text(x + 90, 26, heading, "code small ink bold", "middle")
        panel(drawing, x, 44, "forward", *forward)
        panel(drawing, x, 244, "backward", *backward)
    drawing.line([(200, 12), (200, 424)], "thin grid")
    drawing.line([(12, 232), (388, 232)], "thin grid")
    drawing.text(200, 446, "Follow the marked column. Going back through one of", "small ink", "middle")
    drawing.text(200, 462, "the two is what the other one does going forward.", "small ink", "middle")
    return drawing.svg()


def panel(drawing, x, y, pass_, block_name, row_name, block, row, adds):
    """A block above a row; `adds`: the arrow goes from the block to the row, else from the row to the block."""
    drawing.text(x, y + 14, pass_, "small muted")
    left = x + 44
    drawing.cells(left, y + 22, [[str(value) for value in line] for line in block], column=1)
    drawing.cells(left, y + 152, [[str(value) for value in row]], column=1)
    drawing.text(left - 8, y + 70, block_name, "code ink bold", "end")
    drawing.text(left - 8, y + 168, row_name, "code ink bold", "end")
    for column in range(3):
        ends = [(left + 15 + 30 * column, y + 113), (left + 15 + 30 * column, y + 149)]
        drawing.line(ends if adds else ends[::-1], "blue-line thick" if column == 1 else "edge", arrow=True)
    drawing.text(left + 98, y + 134, "add" if adds else "copy", "small ink bold")


def tanh():
    drawing = Drawing(
        400,
        410,
        "tanh and its slope",
        "Above, the curve of h = tanh(z) for z from -4 to 4: steep in the middle, flat at both ends. Below, its "
        "slope: 1 at z = 0, 0.42 at z = 1 and -1, 0.07 at z = 2 and -2, and nearly 0 beyond 3.",
    )
    left, right = 44, 384

    def across(z):
        return left + (z + 4) / 8 * (right - left)

    for top, height, low, heading, function, line, ticks in (
        (34, 130, -1, "h = tanh(z)", math.tanh, "blue-line", (-1, 0, 1)),
        (210, 130, 0, "slope of tanh at z", lambda z: 1 - math.tanh(z) ** 2, "orange-line dashed", (0, 0.5, 1)),
    ):

        def up(value, top=top, height=height, low=low):
            return top + height * (1 - value) / (1 - low)

        drawing.text(left, top - 12, heading, "ink bold")
        for tick in ticks:
            drawing.line([(left, up(tick)), (right, up(tick))], "thin grid")
            drawing.text(left - 8, up(tick) + 4, f"{tick:g}", "small muted", "end")
        for z in (-2, 2):
            drawing.line([(across(z), top), (across(z), top + height)], "thin dotted edge")
        drawing.line([(across(k / 10), up(function(k / 10))) for k in range(-40, 41)], f"{line} thick")
    for z in range(-4, 5):
        drawing.text(across(z), 356, str(z), "small muted", "middle")
    drawing.text(across(0), 374, "z", "small ink", "middle")
    for z, words in ((-3, "closed"), (0, "open"), (3, "closed")):
        drawing.text(across(z), 396, words, "small ink bold", "middle")
    drawing.text(left - 36, 396, "gate:", "small ink")
    return drawing.svg()
