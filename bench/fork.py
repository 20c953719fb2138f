"""What locking in costs: a worker forked from the zygote, with and without its locks, beside a cold Python.

    python -m bench fork                 50 repetitions, a table
    python -m bench fork --repeat 200

Each way ends when the first step of a small submission has answered: the file imported, dlogits of lesson 04 computed.
The two forks take turns, so that whatever else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import plan_for, probe
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
COLD = "\n".join(
    [
        "import torch",
        "torch.set_num_threads(1)",
        "space = {}",
        f"exec(compile({SOURCE!r}, 'backward.py', 'exec'), space)",
        "space['dlogits'](torch.randn(32, 27, dtype=torch.float64), torch.arange(32) % 27, 32)",
    ]
)


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


def cold() -> float:
    """A fresh Python that imports torch, then does the same."""
    started = time.perf_counter()
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-c", COLD], check=True, env=environment)
    return time.perf_counter() - started


def measure(repeat: int, plans: Sequence[Plan]) -> list[list[float]]:
    """Seconds to the first answer under each plan, in turns."""
    with contextlib.ExitStack() as opened:
        zygotes = [opened.enter_context(contextlib.closing(ZygoteProcess(plan))) for plan in plans]
        turns = [[first_answer(zygote) for zygote in zygotes] for _ in range(repeat + 1)]
    return [list(times) for times in zip(*turns[1:], strict=True)]  # the first one warms up


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def report(level: str, locked: Sequence[float], unlocked: Sequence[float], cold_times: Sequence[float]) -> str:
    inside, open_, way = map(statistics.median, (locked, unlocked, cold_times))
    tenth = statistics.quantiles(locked, n=10)[-1] if len(locked) > 1 else locked[0]
    goal = "within" if inside <= GOAL_SECONDS else "MISSED:"
    return "\n".join(
        [
            f"{datetime.date.today()}, {processor()}, {os.cpu_count()} cores, {platform.platform()}",
            f"torch {torch.__version__}, Python {platform.python_version()}, isolation {level}; "
            f"medians of {len(locked)}, cold of {len(cold_times)}, until the first answer",
            "",
            f"{'fork, locked in':34}{1000 * inside:12.1f} ms",
            f"{'fork, unlocked':34}{1000 * open_:12.1f} ms",
            f"{'cold: a new Python, import torch':34}{1000 * way:12.1f} ms",
            "",
            f"locked in / unlocked: {inside / open_:.2f}; the locks cost {1000 * (inside - open_):.1f} ms",
            f"cold / locked in: {way / inside:.2f}",
            f"goal: {goal} {1000 * GOAL_SECONDS:g} ms at the median (nine of ten within {1000 * tenth:.1f} ms)",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--repeat", type=int, default=50, metavar="N", help="workers of each kind (50)")
    parser.add_argument("--cold", type=int, default=3, metavar="N", help="cold starts (3)")
    chosen = parser.parse_args(arguments)
    isolation = probe()
    locked, unlocked = measure(chosen.repeat, (plan_for(isolation), Plan(())))
    print(report(isolation.level, locked, unlocked, [cold() for _ in range(chosen.cold)]))
    return 0
