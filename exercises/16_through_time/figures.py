"""The pictures of lesson 16, drawn by `grade figures`: the graphs, and the network unrolled with truncation's cut."""

from grader.authoring.figures.graph import graph_picture
from grader.authoring.figures.svg import Drawing

STEPS, WIDTH, HEIGHT, GAP = 4, 50, 30, 30
READS = {
    "Wx, Wh, b": (),
    "h[0]": (),
    "x[0]": (),
    "h[1]": ("h[0]", "x[0]", "Wx, Wh, b"),
    "x[1]": (),
    "h[2]": ("h[1]", "x[1]", "Wx, Wh, b"),
    "…": ("h[2]",),
    "x[time - 1]": (),
    "h[time]": ("…", "x[time - 1]", "Wx, Wh, b"),
    "outside": ("h[1]", "h[2]", "…", "h[time]"),
    # a step of an LSTM cell
    "x": (),
    "h_before": (),
    "Wx Wh b": (),
    "a": ("x", "h_before", "Wx Wh b"),
    "f": ("a",),
    "c_before": (),
    "i": ("a",),
    "g": ("a",),
    "c": ("f", "c_before", "i", "g"),
    "o": ("a",),
    "h": ("o", "c"),
}
DONE = {"a": "@ + @ +", "i": "sigmoid", "f": "sigmoid", "g": "tanh", "o": "sigmoid", "c": "* + *", "h": "tanh *"}


def figures():
    return {"graph.svg": network(), "cells.svg": graphs(), "unrolled.svg": unrolled()}


def network():
    """The network that reads names; its states are one box."""
    reads = {
        **{"C": (), "emb": ("C",), "h0": (), "Wx": (), "Wh": (), "b": ()},
        **{"h[1…6]": ("emb", "h0", "Wx", "Wh", "b"), "Wo": (), "bo": ()},
        **{"logits": ("h[1…6]", "Wo", "bo"), "loss": ("logits",)},
    }
    given = {name for name, read in reads.items() if not read}
    shapes = {"C": "(27, 8)", "emb": "(5, 6, 8)", "h0": "(10,)", "Wx": "(8, 10)", "Wh": "(10, 10)", "b": "(10,)"}
    shapes |= {"h[1…6]": "(5, 10)", "Wo": "(10, 27)", "bo": "(27,)", "logits": "(5, 6, 27)", "loss": "()"}
    done = dict.fromkeys(reads, "") | {"emb": "[ ]", "h[1…6]": "@ + @ + tanh", "logits": "@ +", "loss": "cross_entropy"}
    return graph_picture("Computational graph of lesson 16", reads, shapes, done, given)


def graphs():
    """A recurrent network, and a step of an LSTM cell: N examples, F features, H hidden units."""
    given = {name for name, read in READS.items() if not read}
    shapes = {name: "(N, F)" if name[0] == "x" else "(N, H)" for name in READS} | {"a": "(N, 4H)", "…": ""}
    shapes |= {name: "weights" for name in given if name[0] == "W"} | {"outside": "a loss"}
    done = {name: DONE.get(name, "@ + tanh" if name.startswith("h[") and name not in given else "") for name in READS}
    return graph_picture("A recurrent network and a step of an LSTM cell", READS, shapes, done, given)


def unrolled():
    drawing = Drawing(
        430,
        208,
        "A recurrent network unrolled over four steps, in chunks of two",
        "Five hidden states from left to right. Forward, an arrow leads from each state to the next, and an input "
        "arrives at each step. Backward, an arrow leads from each state to the one before it. Between h2 and the step "
        "after it, truncation cuts the backward arrow, but not the forward one.",
    )
    for t in range(STEPS + 1):
        x = 20 + t * (WIDTH + GAP)
        drawing.cells(x, 80, [[f"h{t}"]], WIDTH, HEIGHT, **({"row": 0} if t else {}))
        middle = x + WIDTH / 2
        if t:
            drawing.line([(middle, 62), (middle, 78)], "ink-line thin", arrow=True)
            drawing.text(middle, 56, f"x{t - 1}", "small muted", "middle")
            drawing.line([(x - GAP + 3, 88), (x - 3, 88)], "blue-line thick", arrow=True)
            if t != 3:
                drawing.line([(x - 3, 102), (x - GAP + 3, 102)], "orange-line thick", arrow=True)
            drawing.line([(middle, 134), (middle, 114)], "orange-line thick", arrow=True)
            drawing.text(middle, 148, f"dh{t}", "small ink", "middle")
    border = 20 + 3 * (WIDTH + GAP) - GAP / 2
    drawing.line([(border, 40), (border, 160)], "ink-line thin dashed")
    drawing.text(border, 32, "cut for k = 2", "small ink bold", "middle")
    drawing.text(215, 178, "to the right: forward, the same Wx, Wh and b at each step", "small muted", "middle")
    drawing.text(215, 196, "to the left and up: gradients", "small muted", "middle")
    return drawing.svg()
