"""One training step of lesson 07, by hand and by autograd: microseconds, side by side in one run.

    python -m bench.training_step                  one thread, as a grader has
    python -m bench.training_step --threads 2
    python -m bench.training_step --seconds 10     longer, steadier
    chrt -f 10 python -m bench.training_step       as root on a busy machine: nothing else comes in between

A step is the forward pass, the seven gradients, and the update of the parameters. Five ways take turns on the same
batches, so that whatever else the machine does falls on all of them:

    by hand      the lesson's variant fast.py: `gradients`, then `update`
    readable     the lesson's model answer
    autograd     the lecture's forward pass, F.cross_entropy, loss.backward(), p.data += -rate * p.grad
    its forward  autograd again, but with the fast variant's forward pass and update: what is left is the backward pass
    the loop     by hand in the lecture's own lines, dC by its Python loop over the batch
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from bench.fork import processor
from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Course, Lesson

ROOT = Path(__file__).resolve().parent.parent
BATCHES = (32, 128, 512, 4096)
HIDDEN = (64, 200, 512, 2048)
LECTURE = (32, 200)  # batch, hidden units
GOAL = 1.5
RATE = 0.01
DIFFERENT_BATCHES = 16
IN_A_ROW = 5  # steps of one way before the next has its turn; the loop, far slower, takes one
FEWEST_ROUNDS = 11

Parameters = list[Tensor]
Step = Callable[[Parameters, Tensor, Tensor], Any]


def by(functions: Any) -> Step:
    """A step by the `gradients` and `update` of a lesson's file."""

    def step(parameters: Parameters, Xb: Tensor, Yb: Tensor) -> None:
        with torch.no_grad():
            _, slopes = functions.gradients(parameters, Xb, Yb)
            functions.update(parameters, slopes, RATE)

    return step


def lecture_loss(parameters: Parameters, Xb: Tensor, Yb: Tensor) -> Tensor:
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    emb = C[Xb]
    hprebn = emb.view(emb.shape[0], -1) @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True)
    bnvar = hprebn.var(0, keepdim=True, unbiased=True)
    bnraw = (hprebn - bnmean) * (bnvar + 1e-5) ** -0.5
    h = torch.tanh(bngain * bnraw + bnbias)
    return F.cross_entropy(h @ W2 + b2, Yb)


def fast_loss(parameters: Parameters, Xb: Tensor, Yb: Tensor) -> Tensor:
    """The fast variant's operators, but none in place: autograd needs what they would overwrite."""
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    n = Xb.shape[0]
    hprebn = torch.addmm(b1, C.index_select(0, Xb.reshape(-1)).view(n, -1), W1)
    bndiff = hprebn - hprebn.mean(0, keepdim=True)
    bnvar = (bndiff * bndiff).sum(0, keepdim=True) / (n - 1)
    bnraw = bndiff * (bnvar + 1e-5).rsqrt()
    h = torch.tanh(torch.addcmul(bnbias, bngain, bnraw))
    return F.cross_entropy(torch.addmm(b2, h, W2), Yb)


def autograd(parameters: Parameters, Xb: Tensor, Yb: Tensor) -> None:
    loss = lecture_loss(parameters, Xb, Yb)
    for p in parameters:
        p.grad = None
    loss.backward()
    for p in parameters:
        p.data += -RATE * p.grad  # type: ignore[operator]


def its_forward(parameters: Parameters, Xb: Tensor, Yb: Tensor) -> None:
    loss = fast_loss(parameters, Xb, Yb)
    for p in parameters:
        p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in parameters:
            p.add_(p.grad, alpha=-RATE)  # type: ignore[arg-type]


@dataclass
class Way:
    """One way to take a step, on parameters of its own."""

    step: Step
    in_a_row: int
    parameters: Parameters
    seconds: list[float]

    def turn(self, batches: Sequence[tuple[Tensor, Tensor]]) -> None:
        started = time.perf_counter()
        for Xb, Yb in batches[: self.in_a_row]:
            self.step(self.parameters, Xb, Yb)
        self.seconds.append((time.perf_counter() - started) / self.in_a_row)

    @property
    def microseconds(self) -> float:
        return 1e6 * statistics.median(self.seconds)


def lesson() -> Lesson:
    """The lesson whose student writes `gradients` and `update`."""
    return Course(ROOT).find("training")


def measure(batch: int, hidden: int, seconds: float) -> dict[str, Way]:
    """{name: way}, after turns for at least `seconds`. Raises RuntimeError when the ways do not do the same."""
    training = lesson()
    fast, lecture = (
        load_module(training.solution / "variants" / f"{name}.py", f"backprop_ninja_{name}_variant")
        for name in ("fast", "lecture")
    )
    steps: dict[str, tuple[Step, int]] = {
        "by hand": (by(fast), IN_A_ROW),
        "readable": (by(training.answers), IN_A_ROW),
        "autograd": (autograd, IN_A_ROW),
        "its forward": (its_forward, IN_A_ROW),
        "the loop": (by(lecture), 1),
    }
    generator = torch.Generator().manual_seed(training.seed)
    drawn = [training.module.inputs(generator, batch=batch, hidden=hidden) for _ in range(DIFFERENT_BATCHES)]
    batches = [(draw["Xb"], draw["Yb"]) for draw in drawn]
    start = [drawn[0][name] for name in training.module.GROUPS["parameters"]]
    ways = {}
    for name, (step, in_a_row) in steps.items():
        recorded = step in (autograd, its_forward)
        ways[name] = Way(step, in_a_row, [p.clone().requires_grad_(recorded) for p in start], [])
    for way in ways.values():
        way.step(way.parameters, *batches[0])
        pairs = zip(way.parameters, ways["by hand"].parameters, strict=True)
        if not all(torch.allclose(a.detach(), b.detach(), rtol=1e-4, atol=1e-5) for a, b in pairs):
            raise RuntimeError("the ways do not end their first step at the same parameters")
    until, rounds = time.perf_counter() + seconds, 0
    while rounds < FEWEST_ROUNDS or time.perf_counter() < until:
        for way in ways.values():
            way.turn(batches)
        batches = batches[IN_A_ROW:] + batches[:IN_A_ROW]
        rounds += 1
    return ways


def heading(threads: int, seconds: float) -> str:
    system = f"Linux {platform.release()}" if platform.system() == "Linux" else platform.platform()
    counted = f"{threads} thread{'s' if threads > 1 else ''}"
    columns = (
        f"{'batch':>6}{'hidden':>8}{'by hand':>11}{'readable':>11}{'':>8}{'autograd':>12}{'':>8}"
        f"{'its forward':>14}{'':>8}{'the loop':>12}"
    )
    return "\n".join(
        [
            f"{datetime.date.today()}, {processor()}, {os.cpu_count()} cores, {system}",
            f"torch {torch.__version__}, Python {platform.python_version()}, "
            f"{torch.backends.cpu.get_cpu_capability()}, {counted}; {seconds:g} s a line",
            "microseconds a step (median), and how many times as long as by hand",
            "",
            columns,
        ]
    )


def line(batch: int, hidden: int, ways: dict[str, Way]) -> str:
    hand = ways["by hand"].microseconds
    cells = [f"{batch:6}{hidden:8}{hand:11,.0f}"]
    for name, width in (("readable", 11), ("autograd", 12), ("its forward", 14), ("the loop", 12)):
        took = ways[name].microseconds
        cells.append(f"{took:{width},.0f}{took / hand:7.2f}x")
    return "".join(cells)


def sizes() -> list[tuple[int, int]]:
    """(batch, hidden) of each line: growing batches at the lecture's width, then growing widths at its batch."""
    return list(dict.fromkeys([(batch, LECTURE[1]) for batch in BATCHES] + [(LECTURE[0], hidden) for hidden in HIDDEN]))


def main(arguments: Sequence[str] | None = None, out: Callable[[str], object] = print) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.training_step", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="torch's threads (1)")
    parser.add_argument("--seconds", type=float, default=4.0, metavar="S", help="at least so long for each line (4)")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(chosen.threads)
    out(heading(chosen.threads, chosen.seconds))
    for batch, hidden in sizes():
        ways = measure(batch, hidden, chosen.seconds)
        out(line(batch, hidden, ways))
        if (batch, hidden) == LECTURE:
            ratio = ways["autograd"].microseconds / ways["by hand"].microseconds
    out(f"\ngoal, at the lecture's size: {'reached' if ratio >= GOAL else 'MISSED'}: {ratio:.2f} times, of {GOAL:g}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
