"""What the benches have in common: lessons that a command line names, commands, processor time, tables."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench import ROOT
from grader.lesson.lesson import Course, Lesson

TICK = os.sysconf("SC_CLK_TCK")


def lessons_named(names: Sequence[str]) -> list[Lesson]:
    """The lessons of this repository that are named; all of them where none is."""
    course = Course(ROOT)
    return [course.find(name) for name in names] or list(course.lessons.values())


def machine() -> str:
    """What else figures depend on, such as "2 cores, load 0.1"."""
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def run(command: Sequence[object], folder: Path, environment: Mapping[str, str] | None = None) -> None:
    """Ends the bench with all that the command said when it fails; `environment` is this process's by default."""
    words = [str(part) for part in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")


def torch_time() -> float:
    """Seconds that `import torch` takes in a new process: what other times are compared with."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    return time.perf_counter() - started


def seconds_spent(pid: int) -> float:
    """Processor seconds of a process, of all that it has started, and of what these have reaped."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        tasks = list(Path(f"/proc/{pid}/task").glob("*/children"))
        children = [int(child) for path in tasks for child in path.read_text().split()]
    except OSError:  # it has ended meanwhile: its time is its parent's
        return 0.0
    return sum(map(int, fields[11:15])) / TICK + sum(map(seconds_spent, children))


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """The rows as columns of text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)
