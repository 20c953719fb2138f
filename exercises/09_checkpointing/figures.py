"""The pictures of lesson 09, drawn by `grade figures`: its graph, and what checkpointing saves and costs.

Two counts of a whole backward pass of the answer key, with the forward pass that it needs: the most bytes of tensors
alive at one moment, in units of one activation, and how often tanh is evaluated, for each layer of the network. Both
come from what torch dispatches, as in the lesson's hidden suite. No clock is read, so every machine draws the same.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import torch

from grader.authoring.figures.graph import graph_picture
from grader.authoring.figures.svg import Drawing
from grader.calling.operators import CallWatch
from grader.lesson.course_modules import load_module

SOLUTION = Path(__file__).resolve().parents[2] / "solutions" / "09_checkpointing" / "backward.py"
BATCH, WIDTH = 2048, 4  # so that the gradients of the weights weigh next to nothing beside the activations
DEPTHS = (1, 10, 25, 50, 100, 150, 200, 300, 400)
FIXED = 4
CAP = 10_000_000
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


@dataclass(frozen=True)
class Cost:
    """Of one backward pass: tensors of an activation's size alive at most, and evaluations of tanh."""

    alive: float
    evaluations: int


def cost(lesson: ModuleType, depth: int, every: int | None) -> Cost:
    """Counts `backward_checkpointed` with this spacing, or `backward_all` where there is none."""
    generator = torch.Generator().manual_seed(depth)
    x, dout = (torch.randn(BATCH, WIDTH, generator=generator, dtype=torch.float64) for _ in range(2))
    weights = [torch.randn(WIDTH, WIDTH, generator=generator, dtype=torch.float64) / WIDTH**0.5 for _ in range(depth)]
    with CallWatch(CAP, [x, dout, *weights]) as watch:
        if every is None:
            lesson.backward_all(x, weights, dout)
        else:
            lesson.backward_checkpointed(x, weights, dout, every)
    evaluations = watch.dispatched["tanh"] + watch.dispatched["tanh_"]
    return Cost(watch.peak_bytes / (x.numel() * x.element_size()), evaluations)


def measured() -> dict[str, dict[int, Cost]]:
    """{way: {depth: cost}} for everything stored, one spacing for all depths, and the best spacing for each."""
    lesson = load_module(SOLUTION, "checkpointing_measured")
    spacings: dict[str, Callable[[int], int | None]] = {
        "all stored": lambda depth: None,
        f"every = {FIXED}": lambda depth: FIXED,
        "every = √depth": lesson.best_spacing,
    }
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are small: a second thread only waits
    try:
        return {
            name: {depth: cost(lesson, depth, every(depth)) for depth in DEPTHS} for name, every in spacings.items()
        }
    finally:
        torch.set_num_threads(threads)


# The plot: its lines are distinguished by dashes and by a label at their ends.

TITLE = "Memory and recomputation against depth"
DESCRIPTION = (
    "Two plots against the depth, 1 to 400 layers. Above: the most activations alive at one moment. With everything "
    "stored they grow like the depth, with every = 4 like a quarter of it, with every = √depth like twice the root of "
    "the depth. Below: evaluations of tanh per layer: one with everything stored, nearly two with either spacing."
)
LEFT, WIDE, HIGH, LABELS, BELOW = 46, 260, 210, 108, 62
LINES = ("ink-line", "orange-line thick dashed", "blue-line thick")
BOUND = "dotted edge"
Curve = tuple[str, str, list[tuple[float, float]]]  # (label, classes of its line, points)


def panel(drawing: Drawing, top: float, title: str, curves: Sequence[Curve], ticks: Sequence[float]) -> None:
    """One plot, its axes, and its curves with a label at the end of each; `ticks` are those of the vertical axis."""

    def across(depth: float) -> float:
        return float(LEFT + WIDE * depth / DEPTHS[-1])

    def up(value: float) -> float:
        return top + HIGH * (1 - value / ticks[-1])

    drawing.text(LEFT, top - 18, title, "ink bold")
    for tick in ticks:
        drawing.line([(LEFT, up(tick)), (LEFT + WIDE, up(tick))], "thin grid" if tick else "thin edge")
        drawing.text(LEFT - 8, up(tick) + 4, f"{tick:g}", "small muted", "end")
    for depth in (0, 100, 200, 300, 400):
        drawing.text(across(depth), top + HIGH + 18, f"{depth}", "small muted", "middle")
    drawing.text(LEFT + WIDE / 2, top + HIGH + 36, "depth (layers)", "small ink", "middle")
    for _, classes, points in curves:
        drawing.line([(across(depth), up(value)) for depth, value in points], classes)
    ends = sorted((up(points[-1][1]), label) for label, _, points in curves)
    places = [ends[0][0]]
    for end, _ in ends[1:]:
        places.append(max(end, places[-1] + 15))  # labels do not cover each other
    for place, (_, label) in zip(places, ends, strict=True):
        drawing.text(LEFT + WIDE + 7, place + 4, label, "small ink")


def plot(ways: dict[str, dict[int, Cost]]) -> str:
    memory: list[Curve] = [
        ("2 · √depth", BOUND, [(n * n / 4, float(n)) for n in range(2 * math.isqrt(DEPTHS[-1]) + 1)])
    ]
    work: list[Curve] = []
    for line, (name, costs) in zip(LINES, ways.items(), strict=True):
        memory.append((name, line, [(depth, c.alive) for depth, c in costs.items()]))
        work.append((name, line, [(depth, c.evaluations / depth) for depth, c in costs.items()]))
    drawing = Drawing(LEFT + WIDE + LABELS, 2 * (HIGH + 44 + BELOW) - 12, TITLE, DESCRIPTION)
    panel(drawing, 44, "Activations alive at most", memory, (0, 100, 200, 300, 400))
    panel(drawing, 2 * 44 + HIGH + BELOW, "Evaluations of tanh per layer", work, (0, 0.5, 1, 1.5, 2))
    return drawing.svg()


def figures():
    given = {name for name in READS if name == "x" or name.startswith("weights")}
    shapes = {name: "(width, width)" if name.startswith("weights") else "(batch, width)" for name in READS} | {"…": ""}
    done = {name: "@ tanh" if name.startswith("h_") else "" for name in READS}
    return {
        "graph.svg": graph_picture("The network of lesson 09", READS, shapes, done, given),
        "checkpointing.svg": plot(measured()),
    }
