"""The pictures of lesson 19, drawn by `grade figures`: the graph of the forward pass, and the tiles."""

from grader.authoring.figures.graph import LEGEND, graph_picture
from grader.authoring.figures.svg import Drawing

QUERIES, KEYS, ROWS, COLUMNS, SIZE = 8, 8, 3, 2, 24
LEFT, TOP = 98, 64
READS = {
    "Q": (),
    "K": (),
    "S": ("Q", "K"),
    "L": ("S",),
    "P": ("S", "L"),
    "V": (),
    "O": ("P", "V"),
}


def figures():
    return {"graph.svg": graph(), "tiles.svg": tiles()}


def graph():
    given, dashed = {"Q", "K", "V"}, {"S", "P"}
    shapes = {"Q": "(queries, size)", "L": "(queries,)", "O": "(queries, size)"}
    shapes |= dict.fromkeys("KV", "(keys, size)") | dict.fromkeys("SP", "(queries, keys)")
    done = dict.fromkeys(READS, "") | {"S": "transpose @ /", "L": "exp sum log", "P": "- exp", "O": "@"}
    legend = {**LEGEND, "fused": "never in memory as a whole: tile by tile"}
    return graph_picture("The graph of attention, tile by tile", READS, shapes, done, given, dashed, legend)


def tiles():
    drawing = Drawing(
        400,
        336,
        "The tiles of a causal attention",
        "Eight queries (rows) and eight keys (columns) in tiles of 3 queries and 2 keys; the last row of tiles has 2 "
        "queries only. A dot marks a key that a query may read. Three tiles at the top right have no dot "
        "and are skipped. Four tiles are cut by the diagonal and need a mask.",
    )
    drawing.text(LEFT + KEYS * SIZE / 2, TOP - 28, "keys", "ink bold", "middle")
    drawing.text(LEFT - 34, TOP + QUERIES * SIZE / 2, "queries", "ink bold", "end")
    for place in range(KEYS):
        drawing.text(LEFT + place * SIZE + SIZE / 2, TOP - 8, str(place), "small muted", "middle")
        drawing.text(LEFT - 10, TOP + place * SIZE + 16, str(place), "small muted", "end")
    for top in range(0, QUERIES, ROWS):
        for left in range(0, KEYS, COLUMNS):
            bottom, right = min(top + ROWS, QUERIES), min(left + COLUMNS, KEYS)
            cells = [(t, s) for t in range(top, bottom) for s in range(left, right)]
            read = [(t, s) for t, s in cells if s <= t]
            box = "grey-box" if not read else "blue-box" if len(read) == len(cells) else "orange-box"
            x, y = LEFT + left * SIZE, TOP + top * SIZE
            drawing.rectangle(x, y, (right - left) * SIZE, (bottom - top) * SIZE, f"{box} ink-line line")
            for t, s in read:
                drawing.text(LEFT + s * SIZE + SIZE / 2, TOP + t * SIZE + 16, "●", "small ink", "middle")
    for number, (box, words) in enumerate(
        (
            ("blue-box", "every query reads every key: no mask"),
            ("orange-box", "cut by the diagonal: mask within the tile"),
            ("grey-box", "all in the future (no dot): skipped"),
        )
    ):
        y = TOP + QUERIES * SIZE + 16 + number * 20
        drawing.rectangle(LEFT, y, 14, 14, f"{box} ink-line line")
        drawing.text(LEFT + 22, y + 11, words, "small ink")
    return drawing.svg()
