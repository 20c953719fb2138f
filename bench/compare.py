"""What a submission costs here and in another checkout, in turns on one machine: for judging a change.

    git worktree add ../before HEAD~20
    python -m bench compare ../before                 lesson 03: right and wrong submissions, the key with a slip
    python -m bench compare ../before --turns 30 --lesson 06 --kinds right wrong

Both checkouts run in this Python, each in a process of its own with a warm session, on files in varied spellings. They
take turns, ten submissions at a time, because the speed of a machine changes within minutes. Processor time is that of
the grader, its zygote, its workers and its reader of source text together; wall-clock time is what somebody waits who
has one submission graded. The ratio is the median over the turns of this checkout's figure divided by the other's.
"A slip" is the answer key with one edit of bench/mutants, and "unwritten" the key without the answer of that function.
Both run the student's own chain, so explaining a slip costs what it takes more, by the median over the turns.
"""

from __future__ import annotations

import argparse
import base64
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from bench import ROOT
from bench.made_up_class import RIGHT, WRONG, sources
from bench.measuring import seconds_spent
from bench.mutants.edits import mutants
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import BACKWARD_FILE

AT_A_TIME = 10
UNWRITTEN, SLIP = "unwritten", "slip"
KINDS = (RIGHT, WRONG, UNWRITTEN, SLIP)

# Runs in either checkout, so it uses only what both have.
PROGRAM = """
import base64, sys
from pathlib import Path
sys.path.insert(0, ".")
from grader.gradebook.grading.session import Session
try:
    from grader.intake.lesson_files import LessonFiles
except ImportError:  # where it was until 2026-11-29
    from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course

lesson = Course(Path(".")).find(sys.argv[1])
session = Session([lesson], 3)
print("ready", flush=True)
for line in sys.stdin:
    for text in line.split():
        lessons = {lesson.name: LessonFiles(lesson.name, {"backward.py": base64.b64decode(text)})}
        session.grade(Submission("student", Path("student"), lessons))
    print("graded", flush=True)
session.close()
"""


class Checkout:
    """A session in the checkout at `root`. Raises RuntimeError when it does not start."""

    def __init__(self, root: Path, lesson: str) -> None:
        command, self._root = [sys.executable, "-c", PROGRAM, lesson], root
        self._process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._expect("ready")

    def _expect(self, line: str) -> None:
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != line:
            raise RuntimeError(f"the checkout in {self._root} cannot grade this lesson")

    def grade(self, files: Sequence[bytes]) -> tuple[float, float]:
        """(milliseconds of processor time, of wall-clock time) per submission."""
        assert self._process.stdin is not None
        spent, started = seconds_spent(self._process.pid), time.perf_counter()
        self._process.stdin.write(" ".join(base64.b64encode(file).decode() for file in files) + "\n")
        self._process.stdin.flush()
        self._expect("graded")
        spent, waited = seconds_spent(self._process.pid) - spent, time.perf_counter() - started
        return 1000 * spent / len(files), 1000 * waited / len(files)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


class Cost(NamedTuple):
    """Milliseconds per submission, one figure for each turn: (processor time, wall-clock time) there and here."""

    other: list[tuple[float, float]]
    ours: list[tuple[float, float]]

    def medians(self, place: int) -> tuple[float, float, float]:
        """(the other's median, ours, median of the ratios) of one of the two times."""
        theirs, mine = [each[place] for each in self.other], [each[place] for each in self.ours]
        ratios = [b / a for a, b in zip(theirs, mine, strict=True)]
        return statistics.median(theirs), statistics.median(mine), statistics.median(ratios)


def compare(ours: Checkout, other: Checkout, texts: Mapping[str, Iterator[bytes]], turns: int) -> dict[str, Cost]:
    """{kind of file: what it costs}. Every turn has files of each kind, so that kinds can be compared as well."""
    found = {kind: Cost([], []) for kind in texts}
    for turn in range(turns + 1):
        for kind, cost in found.items():
            files = list(islice(texts[kind], AT_A_TIME))
            if turn % 2:
                mine, theirs = ours.grade(files), other.grade(files)
            else:
                theirs, mine = other.grade(files), ours.grade(files)
            if turn:  # the first one warms up
                cost.other.append(theirs)
                cost.ours.append(mine)
    return found


def median_difference(more: Sequence[tuple[float, float]], less: Sequence[tuple[float, float]]) -> float:
    """How much more processor time one kind takes than another, by turns."""
    return statistics.median(a - b for (a, _), (b, _) in zip(more, less, strict=True))


def files_of(lesson: Lesson, kind: str) -> Iterator[bytes]:
    """Endlessly: one file of this kind after another."""
    if kind in (RIGHT, WRONG):
        return sources(lesson, kind)
    key = (lesson.solution / BACKWARD_FILE).read_text(encoding="utf-8")
    slips = mutants(key)
    random.Random(lesson.name).shuffle(slips)
    if kind == SLIP:
        return (f"{key}\n\n{slip.source}\n".encode() for slip in cycle(slips))
    stub = "\n\ndef {}(*_):\n    raise NotImplementedError  # {}\n"
    return (f"{key}{stub.format(slip.where, number)}".encode() for number, slip in enumerate(cycle(slips)))


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("other", type=Path, help="another checkout of this repository")
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--lesson", default="03")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    chosen = parser.parse_args()
    with closing(Checkout(ROOT, chosen.lesson)) as ours, closing(Checkout(chosen.other, chosen.lesson)) as other:
        files = {kind: files_of(Course(ROOT).find(chosen.lesson), kind) for kind in chosen.kinds}
        costs = compare(ours, other, files, chosen.turns)
    print(f"{'per submission':24} {'other':>8} {'here':>8} {'ratio':>6}")
    for kind, cost in costs.items():
        for place, what in enumerate(("processor ms", "wall-clock ms")):
            theirs, mine, ratio = cost.medians(place)
            print(f"{kind + ', ' + what:24} {theirs:8.1f} {mine:8.1f} {ratio:6.3f}")
    processor = {kind: cost.medians(0) for kind, cost in costs.items()}
    if {UNWRITTEN, SLIP} <= costs.keys():
        theirs = median_difference(costs[SLIP].other, costs[UNWRITTEN].other)
        mine = median_difference(costs[SLIP].ours, costs[UNWRITTEN].ours)
        processor["explaining"] = (theirs, mine, mine / theirs)
    shown = (
        f"{what} {ratio:.2f} times ({theirs:.0f} and {mine:.0f} ms)"
        for what, (theirs, mine, ratio) in processor.items()
    )
    print(f"\nprocessor time: {', '.join(shown)}")
