"""The pictures of lesson 15, drawn by `grade figures`: the model's graph, and the tied weight's two terms."""

from grader.authoring.figures.graph import graph_picture
from grader.authoring.figures.svg import Drawing

READS = {
    "wte": (),
    "wpe": (),
    "x[0]": ("wte", "wpe"),
    "gain1": (),
    "normed[0]": ("x[0]", "gain1"),
    "Wq": (),
    "Wk": (),
    "Wv": (),
    "contexts[0]": ("normed[0]", "Wq", "Wk", "Wv"),
    "Wo": (),
    "mid[0]": ("x[0]", "contexts[0]", "Wo"),
    "gain2": (),
    "scaled[0]": ("mid[0]", "gain2"),
    "W1": (),
    "act[0]": ("scaled[0]", "W1"),
    "W2": (),
    "x[1]": ("mid[0]", "act[0]", "W2"),
    "two more blocks": ("x[1]",),
    "x[3]": ("two more blocks",),
    "gain3": (),
    "final": ("x[3]", "gain3"),
    "logits": ("final", "wte"),
    "loss": ("logits",),
}
SHAPES = {
    **{"wte": "(27, 16)", "wpe": "(12, 16)", "gain3": "(16,)", "logits": "(4, 8, 27)", "loss": "()"},
    **dict.fromkeys(("gain1", "gain2"), "(3, 16)"),
    **dict.fromkeys(("Wq", "Wk", "Wv", "Wo"), "(3, 16, 16)"),
    **{"W1": "(3, 16, 24)", "W2": "(3, 24, 16)", "act[0]": "(4, 8, 24)", "two more blocks": "like block 0"},
}
DONE = {
    **{"x[0]": "[ ] +", "normed[0]": "rms_norm", "contexts[0]": "attention", "mid[0]": "@ +", "scaled[0]": "rms_norm"},
    **{"act[0]": "@ gelu", "x[1]": "@ +", "final": "rms_norm", "logits": "@", "loss": "cross_entropy"},
}


def figures():
    return {"graph.svg": graph(), "tied.svg": tied()}


def graph():
    given = {name for name, parents in READS.items() if not parents}
    shapes = {name: SHAPES.get(name, "(4, 8, 16)") for name in READS}
    done = {name: DONE.get(name, "") for name in READS}
    return graph_picture("Computational graph of lesson 15", READS, shapes, done, given)


def tied():
    drawing = Drawing(
        400,
        330,
        "The gradient of a tied weight",
        "The model from bottom to top: tokens a and b are read by the embedding wte, blocks follow, then the head, "
        "which uses wte again. On the right the gradient of wte, one row per token. From the head, an arrow leads to "
        "every row. From the embedding, an arrow leads to the rows of a and b only.",
    )
    parts = ((40, "head", "final @ wte.T"), (120, "blocks", "attention and MLP"), (200, "embedding", "wte[X]"))
    for y, name, what in parts:
        drawing.rectangle(16, y, 150, 48, "blue-box blue-line" if what.count("wte") else "box edge", 6)
        drawing.text(91, y + 21, name, "ink bold", "middle")
        drawing.text(91, y + 38, what, "code small muted", "middle")
    drawing.text(91, 22, "loss", "ink", "middle")
    drawing.text(91, 284, "X: a b a", "code ink", "middle")
    for low, high in ((40, 28), (120, 90), (200, 170), (270, 250)):
        drawing.line([(91, low), (91, high)], "edge", arrow=True)
    drawing.text(326, 32, "gradient of wte", "ink bold", "middle")
    rows = [("a", 2), ("b", 1), ("c", 0), ("d", 0)]
    for number, (token, read) in enumerate(rows):
        y = 70 + 44 * number
        drawing.rectangle(262, y, 130, 34, "box edge", 4)
        drawing.text(274, y + 22, token, "code ink bold")
        drawing.text(296, y + 15, "head's term", "small blue")
        if read:
            drawing.text(296, y + 29, f"+ {read} × lookup", "small orange bold")
        drawing.line([(168, 64), (220, 64), (258, y + 12)], "blue-line", arrow=True)
        if read:
            drawing.line([(168, 224), (220, 224), (258, y + 26)], "orange-line dashed", arrow=True)
    drawing.text(16, 316, "solid: to every row; dashed: to the rows of tokens that were read", "small ink")
    return drawing.svg()
