"""What a class costs as it grows: submissions from bench/made_up_class.py, a new class and a new OUT for each size.

    python -m bench growth                                   10, 100 and 1,000 submissions, 10,000 with --sizes
    python -m bench growth --sizes 10 100 1000 10000

Each class is graded by `grade run` in a process of its own, with one grader process unless `--jobs` says otherwise.
The columns:

- each: from the first result to the last, over their number, without the deadlines that hanging ones took (1 of 100
  hangs: a class of 10 has none).
- memory: the coordinator's own largest resident size, VmHWM, without its grader processes.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import ROOT
from bench.made_up_class import HANGING, kind_of, write_class
from bench.measuring import machine, run
from grader.lesson.lesson import Course

GOAL_PERCENT, GOAL_MIB = 10, 50
TIMEOUT = 2
RUN = """
import sys
from pathlib import Path
from grader.commands.grade import main
try:
    main()
finally:
    Path(sys.argv[-1]).with_suffix(".peak").write_text(Path("/proc/self/status").read_text())
"""


@dataclass(frozen=True)
class Grown:
    """A class of `size`: seconds for each submission, and `peak` in bytes."""

    size: int
    each: float
    peak: int


def grade(place: Path, size: int, lesson: str, jobs: int) -> Grown:
    """Raises SystemExit when the run fails or a submission has no results."""
    submissions, out = place / "submissions", place / "out"
    write_class(submissions, Course(ROOT).find(lesson), size)
    command = [sys.executable, "-c", RUN, "run", submissions, "--lesson", lesson, "--seed", 1, "--jobs", jobs]
    run([*command, "--timeout", TIMEOUT, "-o", out], ROOT)
    paths = list(out.glob("*/results.json"))
    if len(paths) != size:
        raise SystemExit(f"{len(paths)} of {size} have results.")
    finished = sorted(path.stat().st_mtime_ns for path in paths)
    hanging = [number for number in range(size) if kind_of(number) == HANGING]
    waited = sum(json.loads((out / f"student_{n:06}" / "results.json").read_text())["seconds"] for n in hanging)
    span = (finished[-1] - finished[0]) / 1e9 * jobs - waited
    each = span / (size - jobs - len(hanging)) if size > jobs + len(hanging) else math.nan
    found = re.search(r"VmHWM:\s+(\d+) kB", out.with_suffix(".peak").read_text())
    assert found is not None
    return Grown(size, each, int(found[1]) * 1024)


def measure(sizes: Sequence[int], lesson: str, jobs: int) -> list[Grown]:
    """One after another, the smallest first."""
    grown = []
    for size in sizes:
        print(f"{size:,} ...", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="growth-") as folder:
            grown.append(grade(Path(folder), size, lesson, jobs))
    return grown


def table(grown: Iterable[Grown]) -> str:
    lines = [f"| {each.size:,} | {1000 * each.each:.1f} ms | {each.peak / 2**20:.1f} MiB |" for each in grown]
    return "\n".join(["| submissions | each | coordinator's memory |", "| ---: | ---: | ---: |", *lines])


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--lesson", default="03")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    grown = measure(sorted(options.sizes), options.lesson, options.jobs)
    print(f"Lesson {options.lesson}, {options.jobs} grader processes, {machine()}\n")
    print(table(grown))
    costs, more = [1000 * each.each for each in grown], (grown[-1].peak - grown[0].peak) / 2**20
    worst = 100 * (max(costs) / costs[0] - 1)
    print(
        f"\n{', '.join(f'{cost:.1f}' for cost in costs)} ms per submission: at most {worst:+.0f} % over the smallest "
        f"(goal: {GOAL_PERCENT} %); coordinator {more:+.1f} MiB (goal: below {GOAL_MIB})"
    )
