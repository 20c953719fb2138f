"""What checkpointing saves and what it costs, counted on the solution of lesson 09 at depths from 1 to 400.

    python -m bench.checkpointing                     the table
    python -m bench.checkpointing --svg FILE          and the plot (exercises/09_checkpointing/checkpointing.svg)

Two counts of a whole backward pass, with the forward pass that it needs: the most bytes of tensors alive at one moment,
in units of one activation, and how often tanh is evaluated, for each layer of the network. Both come from what torch
dispatches, as in the lesson's hidden suite. No clock is read, so every machine prints the same.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import torch

from grader.lesson import load_module
from grader.sandbox.operators import CallWatch

SOLUTION = Path(__file__).resolve().parents[1] / "solutions" / "09_checkpointing" / "backward.py"
BATCH, WIDTH = 2048, 4  # so that the gradients of the weights weigh next to nothing beside the activations
DEPTHS = (1, 10, *range(25, 401, 25))
TABLE = (1, 10, 50, 100, 200, 400)
FIXED = 4
CAP = 10_000_000


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
    lesson = load_module(SOLUTION, "bench_checkpointing_solution")
    spacings: dict[str, Callable[[int], int | None]] = {
        "all stored": lambda depth: None,
        f"every = {FIXED}": lambda depth: FIXED,
        "every = √depth": lesson.best_spacing,
    }
    return {name: {depth: cost(lesson, depth, every(depth)) for depth in DEPTHS} for name, every in spacings.items()}


def table(ways: dict[str, dict[int, Cost]]) -> str:
    lines = [
        "       " + " ".join(f"{name:>22}" for name in ways),
        "depth  " + " ".join(f"{'alive':>8} {'tanh / depth':>13}" for _ in ways),
    ]
    for depth in TABLE:
        costs = [way[depth] for way in ways.values()]
        lines.append(f"{depth:>5}  " + " ".join(f"{c.alive:>8.1f} {c.evaluations / depth:>13.2f}" for c in costs))
    return "\n".join(lines)


# The plot: plain SVG, readable on light and dark pages, its lines told apart by dashes and by a label at their ends.

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600; font-size: 15px }
.page { fill: #ffffff } .grid { stroke: #d8dee4 } .axis { stroke: #57606a }
polyline { fill: none; stroke-width: 2.2 }
.way0 { stroke: #24292f } .way1 { stroke: #b35900; stroke-dasharray: 8 4 } .way2 { stroke: #0a63c2; stroke-width: 3 }
.bound { stroke: #57606a; stroke-width: 1.4; stroke-dasharray: 2 4 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .page { fill: #0d1117 } .grid { stroke: #30363d } .axis { stroke: #8b949e }
  .way0 { stroke: #e6edf3 } .way1 { stroke: #f0a050 } .way2 { stroke: #6cb6ff } .bound { stroke: #8b949e }
}
"""
DESCRIPTION = (
    "Two plots against the depth, 1 to 400 layers. Left: activations alive at most. With all stored they grow like the "
    "depth, with every = 4 like a quarter of it, with every = √depth like twice the root of the depth. Right: "
    "evaluations of tanh for each layer: one with all stored, nearly two with either spacing."
)
WIDE, HIGH, TOP, GAP, LABELS = 300, 260, 52, 66, 104
Curve = tuple[str, str, list[tuple[float, float]]]  # (label, class, points)


def panel(left: float, title: str, curves: Sequence[Curve], ticks: Sequence[float]) -> list[str]:
    """One plot, its axes, and its curves with a label at the end of each; `ticks` are those of the vertical axis."""

    def across(depth: float) -> float:
        return left + WIDE * depth / DEPTHS[-1]

    def up(value: float) -> float:
        return TOP + HIGH * (1 - value / ticks[-1])

    lines = [f'<text class="title" x="{left}" y="{TOP - 20}">{title}</text>']
    for tick in ticks:
        height = f'y1="{up(tick):.1f}" x2="{left + WIDE}" y2="{up(tick):.1f}"'
        lines.append(f'<line class="{"grid" if tick else "axis"}" x1="{left}" {height}/>')
        lines.append(f'<text x="{left - 8}" y="{up(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for depth in (0, 100, 200, 300, 400):
        lines.append(f'<text x="{across(depth)}" y="{TOP + HIGH + 20}" text-anchor="middle">{depth}</text>')
    lines.append(f'<text x="{left + WIDE / 2}" y="{TOP + HIGH + 42}" text-anchor="middle">depth (layers)</text>')
    for _, kind, points in curves:
        corners = " ".join(f"{across(depth):.1f},{up(value):.1f}" for depth, value in points)
        lines.append(f'<polyline class="{kind}" points="{corners}"/>')
    ends = sorted((up(points[-1][1]), label) for label, _, points in curves)
    places = [ends[0][0]]
    for (_, _), (end, _) in pairwise(ends):
        places.append(max(end, places[-1] + 16))  # labels do not cover each other
    for place, (_, label) in zip(places, ends, strict=True):
        lines.append(f'<text x="{left + WIDE + 6}" y="{place + 4:.1f}">{label}</text>')
    return lines


def plot(ways: dict[str, dict[int, Cost]]) -> str:
    memory: list[Curve] = [("2 · √depth", "bound", [(depth, 2 * math.sqrt(depth)) for depth in range(DEPTHS[-1] + 1)])]
    work: list[Curve] = []
    for number, (name, costs) in enumerate(ways.items()):
        memory.append((name, f"way{number}", [(depth, c.alive) for depth, c in costs.items()]))
        work.append((name, f"way{number}", [(depth, c.evaluations / depth) for depth, c in costs.items()]))
    first, second = GAP, GAP + WIDE + LABELS + GAP - 20
    width, height = second + WIDE + LABELS + 10, TOP + HIGH + 58
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'role="img" aria-labelledby="title description">',
            '<title id="title">Memory and recomputation against depth</title>',
            f'<desc id="description">{DESCRIPTION}</desc>',
            f"<style>{STYLE}</style>",
            f'<rect class="page" width="{width}" height="{height}"/>',
            *panel(first, "Activations alive at most", memory, (0, 100, 200, 300, 400)),
            *panel(second, "Evaluations of tanh for each layer", work, (0, 0.5, 1, 1.5, 2)),
            "</svg>\n",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.checkpointing", description="Counts lesson 09's solution.")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write the plot there")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    ways = measured()
    print(table(ways))
    if options.svg:
        options.svg.write_text(plot(ways), encoding="utf-8")
        print(f"\nwrote {options.svg}")


if __name__ == "__main__":
    main()
