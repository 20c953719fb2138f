"""Where the time of one `grade run` on one submission goes, from the start of the command to its end.

    python -m bench.cold --budget            medians of 10 turns

Each row begins where the one above it ends. What the other core does meanwhile is not in the table: the maker of
zygotes removes what a worker must not have, and the coordinator reads the submission and the course.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.made_up_class import ROOT

COORDINATOR = """
from bench import clock
clock.RECORD = {record!r}
clock.coordinator()
from grader.commands.start_grade import main
main()
"""
ROWS = {
    "interpreter": "nursery",  # {row: the event with which it ends}
    "modules before torch": "torch begins",
    "torch": "torch",
    "modules after torch": "modules",
    "fork of the grader": "grader",
    "course, templates": "session",
    "wait for the zygote": "zygote",
    "grading": "graded",
    "report": "report",
    "gradebook, class page, end": "end",
}
WORK = ("hidden suite", "problems", "fork", "lock-down", "steps", "judge")
"""What "grading" consists of."""


def budget_of(
    command: Sequence[object], folder: Path, environment: Mapping[str, str], record: Path
) -> dict[str, float]:
    """{row: seconds} of one run; `command` are the arguments of `grade`. Raises SystemExit when it fails."""
    record.unlink(missing_ok=True)
    program = COORDINATOR.format(record=str(record))
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, command)],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**environment, "PYTHONPATH": str(ROOT)},
    )
    ended = time.monotonic()
    if done.returncode:
        raise SystemExit(f"grade failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    times: dict[str, float] = {}
    work = dict.fromkeys(WORK, 0.0)
    for line in record.read_text(encoding="utf-8").splitlines():
        when, what = line.split(" ", 1)
        if what.startswith("spent "):
            _, seconds, kind = what.split(" ", 2)
            work[kind] += float(seconds)
        else:
            times.setdefault(what, float(when))
    times["end"] = ended
    found: dict[str, float] = {}
    before = begun
    for row, event in ROWS.items():
        found |= work if row == "grading" else {row: times[event] - before}
        before = times[event]
    return found


def table(turns: Sequence[Mapping[str, float]], torch_seconds: float) -> str:
    """Medians in milliseconds, and as parts of `import torch`."""
    rows = {row: statistics.median(turn[row] for turn in turns) for row in turns[0]}
    rows["all"] = statistics.median(sum(turn.values()) for turn in turns)
    lines = [f"{'':28}{'ms':>8}{'ratio':>8}"]
    return "\n".join(lines + [f"{row:28}{1000 * each:8.1f}{each / torch_seconds:8.3f}" for row, each in rows.items()])
