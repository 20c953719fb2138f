"""The pictures of lesson 10, drawn by `grade figures`: a patient's network; activations and gradients."""

import math
from pathlib import Path

from grader.authoring.figures.graph import graph_picture
from grader.authoring.figures.svg import Drawing
from grader.lesson.course_modules import load_module

SEED, LAYER = 3, 2
"""With this seed a network has five layers, and an illness in the middle is in layer 2."""
PATIENTS = (
    ("healthy", "tanh"),
    ("saturated", "tanh"),
    ("vanishing", "tanh"),
    ("healthy", "relu"),
    ("dead", "relu"),
    ("exploding", "relu"),
)
BINS, WIDE, HIGH, ROW = 20, 160, 46, 94
LEFT, MIDDLE = 14, 226
LEAST, MOST = -6, 4
"""Powers of ten between which gradients are counted, in bins of half a power. Smaller ones count as the smallest."""


def figures():
    clinic = load_module(Path(__file__).with_name("clinic.py"), "backprop_ninja_clinic_for_figures")
    return {
        "graph.svg": network(),
        "histograms.svg": histograms(clinic.patient),
        "runs.svg": learning_curves(clinic.training_run),
    }


def learning_curves(training_run):
    """The four kinds of run, each loss as a share of `know_nothing`. Coordinates are whole pixels."""
    drawing = Drawing(420, 262, "Four training runs", "The loss over 60 steps: two curves fall, two are flat.")
    left, top, wide, high, most = 30, 32, 270, 190, 1.2
    for level, label in ((0.0, "0"), (1.0, "1")):
        y = round(top + high * (1 - level / most))
        drawing.line([(left, y), (left + wide, y)], "grid")
        drawing.text(left - 6, y + 4, label, "small muted", "end")
    drawing.text(left, top - 14, "loss, divided by that of a network that knows nothing", "small muted")
    drawing.text(left + wide / 2, top + high + 22, "steps 0 to 59", "small muted", "middle")
    kinds = {
        "learning": "blue-line thick",
        "finished": "blue-line thick dashed",
        "rate too small": "orange-line thick",
        "dead layer": "orange-line thick dashed",
    }
    ends = {}
    for kind, style in kinds.items():
        run = training_run(kind, SEED)
        heights = [round(top + high * (1 - loss / run["know_nothing"] / most)) for loss in run["losses"]]
        drawing.line([(round(left + wide * step / 59), y) for step, y in enumerate(heights)], style)
        ends[kind] = heights[-1]
    lowest = 0
    for kind in sorted(ends, key=ends.get):  # labels need 15 pixels each
        lowest = max(ends[kind] + 4, lowest + 15)
        drawing.text(left + wide + 8, lowest, kind, "small ink")
    return drawing.svg()


def network():
    reads = {
        "x": (),
        "W1": (),
        "b1": (),
        "h[0]": ("x", "W1", "b1"),
        "W2": (),
        "b2": (),
        "h[1]": ("h[0]", "W2", "b2"),
        "…": ("h[1]",),
        "h[-1]": ("…",),
        "classifier": (),
        "number": (),
        "cross-entropy": ("h[-1]", "classifier"),
        "squared error": ("h[-1]", "number"),
        "loss": ("cross-entropy", "squared error"),
    }
    layers = [name for name in reads if name.startswith("h[")]
    shapes = dict.fromkeys(reads, "") | dict.fromkeys(layers, "(batch, width)") | {"loss": "()"}
    done = dict.fromkeys(reads, "") | dict.fromkeys(layers, "act.") | {"loss": "+ *"}
    return graph_picture("The network of a patient in lesson 10", reads, shapes, done)


def histograms(patient):
    drawing = Drawing(
        400,
        72 + ROW * len(PATIENTS) + 40,
        "Activations and gradients of healthy and sick networks",
        "Six networks with two histograms each: the outputs of one layer, and the sizes of the gradients dh in the "
        "first and in the last layer. Healthy: outputs are spread out, and the gradients of both layers have the same "
        "size. Saturated: outputs pile up at -1 and 1. Vanishing: the first layer's gradients are a hundred times "
        "smaller than the last layer's. Dead: all outputs are zero, and so are the first layer's gradients. "
        "Exploding: outputs are ten times larger than in a healthy network, and the first layer's gradients are a "
        "hundred times larger than the last layer's.",
    )
    drawing.text(LEFT, 26, f"outputs h of layer {LAYER}", "ink bold")
    drawing.text(MIDDLE, 26, "sizes of gradients dh", "ink bold")
    drawing.rectangle(MIDDLE, 38, 16, 10, "blue-box blue-line thin")
    drawing.text(MIDDLE + 22, 47, "first layer", "small ink")
    drawing.line([(MIDDLE + 88, 43), (MIDDLE + 104, 43)], "orange-line thick")
    drawing.text(MIDDLE + 110, 47, "last layer", "small ink")
    for place, (illness, activation) in enumerate(PATIENTS):
        top = 68 + ROW * place
        report = patient(illness, seed=SEED, activation=activation)
        drawing.text(LEFT, top + 12, f"{illness}, {'ReLU' if activation == 'relu' else activation}", "small ink bold")
        outputs(drawing, top + 20, report["h"][LAYER - 1].flatten().tolist(), activation)
        first, last = (report["dh"][layer].flatten().tolist() for layer in (0, -1))
        sizes(drawing, top + 20, first, last)
    low = 68 + ROW * len(PATIENTS)
    drawing.text(LEFT, low + 12, "Each histogram is as high as its largest bar. Gradients are measured", "small muted")
    drawing.text(LEFT, low + 28, "against the typical one of the last layer; “0” are exact zeros.", "small muted")
    return drawing.svg()


def outputs(drawing, top, values, activation):
    ends = (-1.0, 1.0) if activation == "tanh" else (0.0, rounded_up(max(values)))
    counts = [0] * BINS
    for value in values:
        counts[min(BINS - 1, int((value - ends[0]) / (ends[1] - ends[0]) * BINS))] += 1
    bars(drawing, LEFT, top, counts)
    for end, x, anchor in zip(ends, (LEFT, LEFT + WIDE), ("start", "end"), strict=True):
        drawing.text(x, top + HIGH + 14, f"{end:g}", "small muted", anchor)
    if activation == "tanh":
        drawing.text(LEFT + WIDE / 2, top + HIGH + 14, "0", "small muted", "middle")


def sizes(drawing, top, first, last):
    typical = math.sqrt(sum(value**2 for value in last) / len(last))
    bars(drawing, MIDDLE, top, counted(first, typical))
    counts = counted(last, typical)
    points = [(MIDDLE, top + HIGH)]
    for place, count in enumerate(counts):
        y = top + HIGH - round(HIGH * count / max(counts))
        points += [(MIDDLE + WIDE / len(counts) * place, y), (MIDDLE + WIDE / len(counts) * (place + 1), y)]
    drawing.line([*points, (MIDDLE + WIDE, top + HIGH)], "orange-line")
    wide = WIDE / len(counts)
    drawing.text(MIDDLE + wide / 2, top + HIGH + 14, "0", "small muted", "middle")
    for power in (-4, -2, 0, 2):
        x = MIDDLE + wide * (1 + 2 * (power - LEAST))
        drawing.text(x, top + HIGH + 14, f"1e{power}" if power else "1", "small muted", "middle")


def counted(values, typical):
    """Exact zeros first, then one number per half power of ten."""
    counts = [0] * (1 + 2 * (MOST - LEAST))
    for value in values:
        size = abs(value) / typical
        place = 1 + max(0, min(len(counts) - 2, math.floor(2 * (math.log10(size) - LEAST)))) if size else 0
        counts[place] += 1
    return counts


def bars(drawing, left, top, counts):
    """Heights are whole pixels: a number that another machine rounds into the next bin changes nothing."""
    wide = WIDE / len(counts)
    for place, count in enumerate(counts):
        height = round(HIGH * count / max(counts))
        if height:
            drawing.rectangle(left + wide * place, top + HIGH - height, wide, height, "blue-box blue-line thin")
    drawing.line([(left, top + HIGH), (left + WIDE, top + HIGH)], "thin edge")


def rounded_up(value):
    """To one digit: 700 for 612."""
    unit = 10.0 ** math.floor(math.log10(value)) if value > 0 else 1.0
    return math.ceil(value / unit) * unit or 1.0
