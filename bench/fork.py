"""What locking in costs: a worker forked from the zygote, with and without its locks, beside a cold Python.

    python -m bench fork                 50 repetitions, a table
    python -m bench fork --repeat 200

Each way ends when the first step of a small submission has answered: the file imported, dlogits of lesson 04 computed.
The two forks take turns, so that whatever else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from grader.sandbox.isolation.lockdown import Plan
from grader.sandbox.isolation.probe import plan_for, probe
from grader.sandbox.workers.client import ZygoteProcess
from grader.sandbox.workers.messages import Load, pack, pack_problem

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


@dataclass(frozen=True)
class Times:
    """Seconds, one entry a repetition: a fork and what it takes to lock in, to import the file, to answer, to end."""

    name: str
    total: list[float]
    locked_in: list[float]
    imported: list[float]
    ended: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.total)


def first_answer(zygote: ZygoteProcess, times: Times) -> None:
    """One worker, from asking for it to its first answer, and its end."""
    values = {"logits": torch.randn(32, 27, dtype=torch.float64), "Yb": torch.arange(32) % 27, "n": 32}
    started = time.perf_counter()
    worker = zygote.worker()
    worker.wait_until_locked_in()
    locked_in = time.perf_counter()
    ((loaded,),) = worker.replies([pack(Load({"backward.py": SOURCE}, "backward.py"))], GUARD_SECONDS)
    assert loaded.outcome == "returned", loaded
    imported = time.perf_counter()
    problem = pack_problem(torch.float64, values, {})
    ((answer,),) = worker.replies([problem.run(["dlogits"])], GUARD_SECONDS)
    assert answer.tensor is not None, answer
    answered = time.perf_counter()
    worker.end_and_measure()
    times.total.append(answered - started)
    times.locked_in.append(locked_in - started)
    times.imported.append(imported - locked_in)
    times.ended.append(time.perf_counter() - answered)


def cold() -> float:
    """A fresh Python that imports torch, then does the same."""
    started = time.perf_counter()
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-c", COLD], check=True, env=environment)
    return time.perf_counter() - started


def measure(repeat: int, cold_repeat: int, plans: dict[str, Plan]) -> tuple[list[Times], list[float]]:
    """Times of each plan, in turns; and of the cold way."""
    zygotes = {name: ZygoteProcess(plan) for name, plan in plans.items()}
    try:
        times = [Times(name, [], [], [], []) for name in plans]
        for entry in times:
            first_answer(zygotes[entry.name], Times("warming up", [], [], [], []))
        for _ in range(repeat):
            for entry in times:
                first_answer(zygotes[entry.name], entry)
    finally:
        for zygote in zygotes.values():
            zygote.close()
    return times, [cold() for _ in range(cold_repeat)]


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def report(level: str, times: Sequence[Times], cold_times: Sequence[float]) -> str:
    locked, open_ = times
    way = statistics.median(cold_times)

    def line(name: str, *parts: Sequence[float]) -> str:
        return f"{name:34}" + "".join(f"{1000 * statistics.median(part):12.1f}" for part in parts)

    def ratio(a: float, b: float) -> str:
        return f"{a / b:.2f}"

    tenth = statistics.quantiles(locked.total, n=10)[-1] if len(locked.total) > 1 else locked.total[0]
    goal = "within" if locked.median <= GOAL_SECONDS else "MISSED:"
    return "\n".join(
        [
            f"{datetime.date.today()}, {processor()}, {os.cpu_count()} cores, Linux {platform.release()}"
            if sys.platform == "linux"
            else f"{datetime.date.today()}, {processor()}, {os.cpu_count()} cores, {platform.platform()}",
            f"torch {torch.__version__}, Python {platform.python_version()}, isolation {level}; "
            f"medians of {len(locked.total)}, cold of {len(cold_times)}, in milliseconds",
            "",
            f"{'':34}{'first answer':>12}{'locked in':>12}{'imported':>12}{'ended':>12}",
            line("fork, locked in", locked.total, locked.locked_in, locked.imported, locked.ended),
            line("fork, unlocked", open_.total, open_.locked_in, open_.imported, open_.ended),
            line("cold: a new Python, import torch", cold_times),
            "",
            f"locked in / unlocked: {ratio(locked.median, open_.median)}"
            f" (the locks cost {1000 * (locked.median - open_.median):.1f} ms a submission)",
            f"cold / locked in: {ratio(way, locked.median)}",
            f"goal: {goal} {1000 * GOAL_SECONDS:g} ms at the median (nine of ten within {1000 * tenth:.1f} ms)",
        ]
    )


def main(arguments: Sequence[str] | None = None, out: Callable[[str], object] = print) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--repeat", type=int, default=50, metavar="N", help="workers of each kind (50)")
    parser.add_argument("--cold", type=int, default=3, metavar="N", help="cold starts (3)")
    chosen = parser.parse_args(arguments)
    isolation = probe()
    locked = plan_for(isolation)
    times, cold_times = measure(chosen.repeat, chosen.cold, {"locked in": locked, "unlocked": Plan(())})
    out(report(isolation.level, times, cold_times))
    return 0
