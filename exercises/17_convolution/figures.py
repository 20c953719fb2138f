"""The picture of lesson 17, drawn by `grade figures`: which windows read which places."""

from grader.authoring.figures.svg import Drawing

PLACES, SIZE, LEFT = 8, 36, 74


def figures():
    return {"windows.svg": windows()}


def windows():
    drawing = Drawing(
        400,
        312,
        "Which windows read which places",
        "Two axes of eight places, numbered 0 to 7. With a kernel of 3 and stride 2 there are three windows; places 2 "
        "and 4 are in two windows, place 7 is in none. With a kernel of 1 and stride 2 there are four windows; places "
        "1, 3, 5 and 7 are in none.",
    )
    for top, kernel, stride in ((30, 3, 2), (190, 1, 2)):
        strip(drawing, top, kernel, stride)
    return drawing.svg()


def strip(drawing, top, kernel, stride):
    starts = range(0, PLACES - kernel + 1, stride)
    counts = [sum(start <= place < start + kernel for start in starts) for place in range(PLACES)]
    drawing.text(LEFT + PLACES * SIZE / 2, top - 8, f"kernel {kernel}, stride {stride}", "ink bold", "middle")
    drawing.text(LEFT - 8, top + 18, "place", "small muted", "end")
    drawing.cells(LEFT, top, [[str(place) for place in range(PLACES)]], SIZE, 26)
    for number, start in enumerate(starts):
        y = top + 38 + (number % 2) * 12
        drawing.line([(LEFT + start * SIZE + 4, y), (LEFT + (start + kernel) * SIZE - 4, y)], "blue-line thick")
    drawing.text(LEFT - 8, top + 48, "windows", "small muted", "end")
    drawing.text(LEFT - 8, top + 80, "in", "small muted", "end")
    drawing.cells(LEFT, top + 62, [[str(count) if count else "none" for count in counts]], SIZE, 26)
