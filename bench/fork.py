"""What locking in costs: a worker forked from the zygote, with and without its locks, beside `import torch`.

    python -m bench fork                 50 repetitions, a table
    python -m bench fork --repeat 200

Each way ends when the first step of a small submission has answered: the file imported, dlogits of lesson 04 computed.
The two forks take turns, so that whatever else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import time
from collections.abc import Sequence

import torch

from bench.measuring import machine, torch_time
from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import probe
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.messages import Load, Run, pack, pack_problem

GOAL_SECONDS = 0.015
GUARD_SECONDS = 60.0
SOURCE = b"""
import torch
import torch.nn.functional as F


def dlogits(logits, Yb, n):
    gradient = F.softmax(logits, 1)
    gradient[range(n), Yb] -= 1
    return gradient / n
"""


def first_answer(zygote: ZygoteProcess) -> float:
    """Seconds from asking for a worker to its first answer."""
    values = {"logits": torch.randn(32, 27, dtype=torch.float64), "Yb": torch.arange(32) % 27, "n": 32}
    started = time.perf_counter()
    worker = zygote.worker()
    worker.wait_until_locked_in()
    (loaded,) = worker.answers(pack(Load({"backward.py": SOURCE}, "backward.py")), GUARD_SECONDS)
    assert loaded.outcome == "returned", loaded
    problem = pack_problem(torch.float64, values, {})
    (answer,) = worker.answers(pack(Run(problem, ["dlogits"])), GUARD_SECONDS)
    assert answer.tensor is not None, answer
    seconds = time.perf_counter() - started
    worker.end_and_measure()
    return seconds


def measure(repeat: int, plans: Sequence[Plan]) -> list[list[float]]:
    """Seconds to the first answer under each plan, in turns."""
    with contextlib.ExitStack() as opened:
        zygotes = [opened.enter_context(contextlib.closing(ZygoteProcess(plan))) for plan in plans]
        turns = [[first_answer(zygote) for zygote in zygotes] for _ in range(repeat + 1)]
    return [list(times) for times in zip(*turns[1:], strict=True)]  # the first one warms up


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--repeat", type=int, default=50, metavar="N", help="workers of each kind (50)")
    chosen = parser.parse_args()
    isolation = probe()
    locked, unlocked = measure(chosen.repeat, (Plan(isolation.layers), Plan(())))
    inside, outside, cold = map(statistics.median, (locked, unlocked, [torch_time() for _ in range(3)]))
    tenth = statistics.quantiles(locked, n=10)[-1]
    print(f"{machine()}, isolation {isolation.level}; until the first answer\n")
    print(f"fork, locked in   {1000 * inside:8.1f} ms, nine of ten within {1000 * tenth:.1f} ms")
    print(f"fork, unlocked    {1000 * outside:8.1f} ms")
    print(f"import torch      {1000 * cold:8.1f} ms\n")
    print(
        f"{1000 * inside:.1f} ms at the median (goal: {1000 * GOAL_SECONDS:g}), {1000 * outside:.1f} ms unlocked; "
        f"`import torch` takes {cold / inside:.0f} times as long"
    )
