"""What a submission costs here and in another checkout, in turns on one machine: for judging a change.

    git worktree add ../before HEAD~20
    python -m bench compare ../before                 lesson 03, right and wrong submissions
    python -m bench compare ../before --turns 30 --lesson 06
    python -m bench compare ../before --class 300     `grade run` as it comes, on a made-up class
    python -m bench compare ../before --watch 30      `dojo watch`, from a save to the verdict on the screen

Both checkouts run in this Python, each in a process of its own with a warm session, on files in varied spellings. They
take turns, ten submissions at a time, because the speed of a machine changes within minutes. Processor time is that of
the grader, its zygote, its workers and its reader of source text together; wall-clock time is what somebody waits who
has one submission graded. The ratio is the median over the turns of this checkout's figure divided by the other's.
With --class, both grade the
same folder of right and wrong submissions, no two the same, from the start of the command to its end. With --watch,
both get the same saves, one after the other: a gradient that raises an error, a wrong one whose mistake has no name,
and the right one after each of them.
"""

from __future__ import annotations

import argparse
import base64
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from bench import ROOT
from bench.made_up_class import RIGHT, WRONG, sources, write_class
from bench.watch import make_kit, save_time, spoilt
from bench.watch_terminal import START_SECONDS, WatchTerminal
from grader.lesson.lesson import Course

AT_A_TIME = 10
KINDS = (RIGHT, WRONG)
SAVES = {"error": "1 / 0", "unknown mistake": "({right}).sin()"}
"""What the first gradient returns in the saves of --watch, by the kind of save."""
PAUSE = 0.4
"""Seconds between two saves."""

# Runs in either checkout, so it uses only what both have.
PROGRAM = """
import base64, os, sys, time
from pathlib import Path
sys.path.insert(0, ".")
from grader.gradebook.grading.session import Session
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course

def processor_ticks(pid):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = [each for path in Path(f"/proc/{pid}/task").glob("*/children") for each in path.read_text().split()]
    except OSError:  # it has ended meanwhile: its time is its parent's
        return 0
    return sum(map(int, fields[11:15])) + sum(map(processor_ticks, children))

lesson = Course(Path(".")).find(sys.argv[1])
session = Session([lesson], 3)
print("ready", flush=True)
for line in sys.stdin:
    files = [base64.b64decode(text) for text in line.split()]
    spent, started = processor_ticks(os.getpid()), time.perf_counter()
    for file in files:
        lessons = {lesson.name: LessonFiles(lesson.name, {"backward.py": file})}
        session.grade(Submission("student", Path("student"), lessons))
    ticks, waited = processor_ticks(os.getpid()) - spent, time.perf_counter() - started
    print(ticks / os.sysconf("SC_CLK_TCK"), waited, flush=True)
session.close()
"""

GRADE = """
import sys
sys.path.insert(0, ".")
try:
    from grader.commands.start_grade import main
except ImportError:  # a checkout from before it started early
    from grader.commands.grade import main
main()
"""


class Checkout:
    """A session in the checkout at `root`. Raises RuntimeError when it does not start."""

    def __init__(self, root: Path, lesson: str) -> None:
        command = [sys.executable, "-c", PROGRAM, lesson]
        self._process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self._line() != "ready":
            raise RuntimeError(f"the checkout in {root} cannot grade lesson {lesson}")

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def grade(self, files: Sequence[bytes]) -> tuple[float, float]:
        """(milliseconds of processor time, of wall-clock time) per submission."""
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(base64.b64encode(file).decode() for file in files) + "\n")
        self._process.stdin.flush()
        spent, waited = map(float, self._line().split())
        return 1000 * spent / len(files), 1000 * waited / len(files)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def compare(ours: Checkout, other: Checkout, texts: Iterator[bytes], turns: int) -> list[tuple[float, float, float]]:
    """(the other's median, ours, median of the ratios) of processor time and of wall-clock time."""
    found: list[tuple[tuple[float, float], tuple[float, float]]] = []
    for turn in range(turns + 1):
        files = list(islice(texts, AT_A_TIME))
        if turn % 2:
            mine, theirs = ours.grade(files), other.grade(files)
        else:
            theirs, mine = other.grade(files), ours.grade(files)
        if turn:  # the first one warms up
            found.append((theirs, mine))
    columns = []
    for place in range(2):
        theirs_, mine_ = [a[place] for a, _ in found], [b[place] for _, b in found]
        ratios = [b / a for a, b in zip(theirs_, mine_, strict=True)]
        columns.append((statistics.median(theirs_), statistics.median(mine_), statistics.median(ratios)))
    return columns


def seconds_of_class(root: Path, lesson: str, submissions: Path) -> float:
    """Seconds of one `grade run` of the checkout at `root`. Raises RuntimeError when it grades nothing."""
    with tempfile.TemporaryDirectory(prefix="beside-") as out:
        command = [sys.executable, "-c", GRADE, "run", str(submissions), "--lesson", lesson, "-o", out]
        started = time.perf_counter()
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
        seconds = time.perf_counter() - started
        if not (Path(out) / "grades.csv").is_file():
            raise RuntimeError(f"the checkout in {root} graded nothing: {done.stderr[-500:]}")
    return seconds


def compare_class(other: Path, here: Path, lesson: str, count: int, turns: int) -> None:
    """Print what `grade run` takes for a made-up class of each kind, in turns."""
    for kind in KINDS:
        with tempfile.TemporaryDirectory(prefix="class-") as folder:
            write_class(Path(folder), Course(ROOT).find(lesson), count, [kind])
            pairs = [[seconds_of_class(root, lesson, Path(folder)) for root in (other, here)] for _ in range(turns)]
        theirs, mine = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(b / a for a, b in pairs)
        print(f"{f'{count} {kind}, seconds':24} {theirs:8.1f} {mine:8.1f} {ratio:6.3f}", flush=True)


def compare_watch(other: Path, here: Path, number: str, turns: int) -> None:
    """Print the time from a save to the screen of `dojo watch`, for the same saves in both checkouts, in turns."""
    roots = (other, here)
    times: dict[str, list[list[float]]] = {}
    with tempfile.TemporaryDirectory(prefix="beside-") as folder:
        lessons = [make_kit(Path(folder) / str(place), number, root) for place, root in enumerate(roots)]
        right = (lessons[1].exercise / "backward.py").read_text(encoding="utf-8")
        saves = {what: spoilt(lessons[1], right, mistake) for what, mistake in SAVES.items()}
        terminals = [
            WatchTerminal(Path(folder) / str(place), number, checkout=root) for place, root in enumerate(roots)
        ]
        try:
            for terminal in terminals:
                terminal.until(" points\n", START_SECONDS)
            for turn in range(turns + 1):
                for what, text in saves.items():
                    for kind, each, sign in (
                        (what, text, "right before."),
                        (f"right after {what}", right, "turned right."),
                    ):
                        pair = [0.0, 0.0]
                        for place in (0, 1) if turn % 2 else (1, 0):
                            time.sleep(PAUSE)
                            pair[place] = save_time(terminals[place], lessons[place], each, sign)
                        if turn:  # the first one warms up
                            times.setdefault(kind, []).append(pair)
        finally:
            for terminal in terminals:
                terminal.close()
    for kind, pairs in times.items():
        theirs, mine = (1000 * statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(b / a for a, b in pairs)
        print(f"{kind + ', ms':24} {theirs:8.1f} {mine:8.1f} {ratio:6.3f}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("other", type=Path, help="another checkout of this repository")
    parser.add_argument("--here", type=Path, default=ROOT, metavar="DIR", help="a third checkout, instead of this one")
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--lesson", default="03")
    parser.add_argument("--class", dest="count", type=int, default=0, metavar="N", help="`grade run` on N submissions")
    parser.add_argument("--watch", dest="saves", type=int, default=0, metavar="N", help="`dojo watch`, N saves a kind")
    chosen = parser.parse_args(arguments)
    if chosen.saves:
        print(f"{'from save to screen':24} {'other':>8} {'here':>8} {'ratio':>6}")
        compare_watch(chosen.other.resolve(), chosen.here.resolve(), chosen.lesson, chosen.saves)
        return 0
    if chosen.count:
        print(f"{'grade run':24} {'other':>8} {'here':>8} {'ratio':>6}")
        compare_class(chosen.other.resolve(), chosen.here.resolve(), chosen.lesson, chosen.count, chosen.turns)
        return 0
    ours, other = Checkout(chosen.here, chosen.lesson), Checkout(chosen.other, chosen.lesson)
    try:
        print(f"{'per submission':24} {'other':>8} {'here':>8} {'ratio':>6}")
        for kind in KINDS:
            figures = compare(ours, other, sources(Course(ROOT).find(chosen.lesson), kind), chosen.turns)
            for what, (theirs, mine, ratio) in zip(("processor ms", "wall-clock ms"), figures, strict=True):
                print(f"{kind + ', ' + what:24} {theirs:8.1f} {mine:8.1f} {ratio:6.3f}")
    finally:
        ours.close()
        other.close()
    return 0
