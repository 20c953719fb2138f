"""The pictures of lesson 21, drawn by `grade figures`: where the clip stops the gradient, and what a token counts."""

from grader.authoring.figures.svg import Drawing

CLIP = 0.2


def figures():
    return {"clip.svg": clip(), "pieces.svg": pieces()}


def clip():
    drawing = Drawing(
        400,
        236,
        "Where the clip stops the gradient",
        "Two charts of the gain of a token against its ratio. With a positive advantage the gain rises up to the ratio "
        "1.2 and is flat above it. With a negative advantage it is flat below the ratio 0.8, and falls above it.",
    )
    for left, advantage, heading in ((14, 1, "advantage 1"), (214, -1, "advantage -1")):

        def at(ratio, gain, left=left):
            return left + 90 * ratio, 120 - 60 * gain

        drawing.text(left + 86, 22, heading, "ink bold", "middle")
        drawing.line([at(0, 0), at(1.95, 0)], "ink-line thin")
        for ratio in (1 - CLIP, 1 + CLIP):
            drawing.line([at(ratio, -1.4), at(ratio, 1.4)], "grid thin dashed")
            drawing.text(at(ratio, 0)[0], 220, f"{ratio:g}", "small muted", "middle")
        edge = 1 + CLIP if advantage > 0 else 1 - CLIP
        low = at(0, 0) if advantage > 0 else at(0, -edge)
        high = at(1.95, edge) if advantage > 0 else at(1.4, -1.4)
        corner = at(edge, advantage * edge)
        slope, flat = ((low, corner), (corner, high)) if advantage > 0 else ((corner, high), (low, corner))
        drawing.line(list(slope), "blue-line thick")
        drawing.line(list(flat), "orange-line thick dashed")
        middle = [(a + b) / 2 for a, b in zip(*flat, strict=True)]
        drawing.text(middle[0], middle[1] + (-8 if advantage > 0 else 16), "stopped", "orange bold", "middle")
    drawing.text(200, 234, "horizontal: the ratio; vertical: the gain of the token", "small muted", "middle")
    return drawing.svg()


def pieces():
    drawing = Drawing(
        400,
        190,
        "What a token counts in two pieces with 2 and 8 answer tokens",
        "Two rows of ten cells, one for each token. As one mean over all tokens, each counts a tenth. As a mean of the "
        "two pieces' means, each token of the short piece counts a quarter, and each of the long one a sixteenth.",
    )
    for top, heading, short, long in (
        (40, "one mean over all tokens", "1/10", "1/10"),
        (124, "a mean of the pieces' means", "1/4", "1/16"),
    ):
        drawing.text(200, top - 12, heading, "ink bold", "middle")
        drawing.cells(16, top, [[short] * 2], 36, 30, row=0)
        drawing.cells(100, top, [[long] * 8], 36, 30)
    drawing.text(52, 88, "first piece", "small muted", "middle")
    drawing.text(244, 88, "second piece", "small muted", "middle")
    drawing.text(200, 182, "below: four times as much in the short piece as in the long one", "small muted", "middle")
    return drawing.svg()
