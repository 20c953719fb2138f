"""The graph of lesson 09, drawn by `grade figures`. The plot checkpointing.svg is written by bench/checkpointing.py."""

from grader.authoring.figures.graph import graph_picture

READS = {
    "x": (),
    "weights[0]": (),
    "h_1": ("x", "weights[0]"),
    "weights[1]": (),
    "h_2": ("h_1", "weights[1]"),
    "…": ("h_2",),
    "weights[depth - 1]": (),
    "h_depth": ("…", "weights[depth - 1]"),
}


def figures():
    given = {name for name in READS if name == "x" or name.startswith("weights")}
    shapes = {name: "(width, width)" if name.startswith("weights") else "(batch, width)" for name in READS} | {"…": ""}
    kinds = {name: "input" if name in given else "step" for name in READS}
    done = {name: "@ tanh" if name.startswith("h_") else "" for name in READS}
    return {"graph.svg": graph_picture("The network of lesson 09", READS, shapes, kinds, done, given)}
