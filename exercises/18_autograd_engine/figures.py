"""The pictures of lesson 18, drawn by `grade figures`: the graph of an expression, there and back."""

from grader.authoring.figures.svg import Drawing

WIDTH, HEIGHT = 64, 34
PLACES = {"a": (16, 60), "b": (16, 150), "a*b": (130, 150), "+": (240, 105), "c": (350, 105)}
ARROWS = (("a", "a*b"), ("b", "a*b"), ("a", "+"), ("a*b", "+"), ("+", "c"))


def figures():
    return {"graph.svg": graph()}


def graph():
    drawing = Drawing(
        430,
        250,
        "The graph of c = tanh(a * b + a), forward and backward",
        "Five boxes from left to right: the leaves a and b, their product, the sum of the product and a, and c. Blue "
        "arrows lead forward. Orange dashed arrows lead back. Two of them arrive at a, from the product and from the "
        "sum.",
    )
    for one, other in ARROWS:
        (x1, y1), (x2, y2) = PLACES[one], PLACES[other]
        start, end = (x1 + WIDTH + 3, y1 + HEIGHT / 2 - 6), (x2 - 4, y2 + HEIGHT / 2 - 6)
        drawing.line([start, end], "blue-line thick", arrow=True)
        back, there = (x2 - 3, y2 + HEIGHT / 2 + 8), (x1 + WIDTH + 4, y1 + HEIGHT / 2 + 8)
        drawing.line([back, there], "orange-line thick dashed", arrow=True)
    for name, (x, y) in PLACES.items():
        drawing.cells(x, y, [[name]], WIDTH, HEIGHT, **({"row": 0} if name in "ab" else {}))
    drawing.text(48, 48, "leaf", "small muted", "middle")
    drawing.text(48, 200, "leaf", "small muted", "middle")
    drawing.text(382, 93, "the end", "small muted", "middle")
    drawing.text(16, 24, "a is used twice: it gets two gradients, which are added", "small ink bold")
    drawing.line([(16, 228), (46, 228)], "blue-line thick", arrow=True)
    drawing.text(54, 232, "numbers", "small ink")
    drawing.line([(160, 228), (130, 228)], "orange-line thick dashed", arrow=True)
    drawing.text(168, 232, "gradients, from the end to the leaves", "small ink")
    return drawing.svg()
