"""What one submission costs from cold, as multiples of `import torch` in the same run: what a CI job waits for.

    python -m bench cold                            medians of 10 turns
    python -m bench cold --turns 3

Each turn starts, one after another and in fresh processes: `import torch`; cold pytest on the 26 gradients of lesson 03
(against bench/cold_reference.py, no plugins); `grade run` on one submission with its reports; `dojo check 03`; then the
first result of a class of 20. Times are what somebody waits, and the processor time of the process with all that it
started. Compiled modules are kept, as in any installation: what a first turn writes, the others read.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench import ROOT
from bench.made_up_class import RIGHT, WRONG, write_class
from bench.measuring import machine, run
from grader.lesson.lesson import Course, Lesson

CLASS = 20
TEST = """
import backward
import pytest
import reference

@pytest.mark.parametrize("name", {names!r})
def test_gradient(name):
    reference.check(name, vars(backward))
"""
GRADE = "from grader.commands.start_grade import main; main()"
DOJO = "from grader.commands.start_dojo import main; main()"
GOALS = {"grade run": 1.35, "dojo check": 1.25}
"""Goals for the time that somebody waits, as ratios to `import torch`."""


def environment() -> dict[str, str]:
    """Without this variable, Python keeps compiled modules."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}


def timed(command: Sequence[object], folder: Path) -> tuple[float, float]:
    """(seconds that somebody waits, seconds of processor time of the process and of all that it started)."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run(command, folder, environment())
    waited, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return waited, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def add_reference(folder: Path, lesson: Lesson) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(lesson.exercise / "forward.py", folder)
    shutil.copy(ROOT / "bench" / "cold_reference.py", folder / "reference.py")


def write_tests(folder: Path, lesson: Lesson, source: str) -> None:
    """A submission next to a pytest file that compares each gradient with the reference."""
    add_reference(folder, lesson)
    names = [item.name for item in lesson.gradients]
    (folder / "backward.py").write_text(source, encoding="utf-8")
    (folder / "test_backward.py").write_text(TEST.format(names=names), encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")


def lay_out(place: Path, lesson: Lesson) -> dict[str, tuple[list[object], Path]]:
    """{what: (its command, the folder it runs in)}; the submission is the answer key."""
    answers = lesson.solution / "backward.py"
    submission = place / "students" / "ada" / lesson.name
    tests = place / "pytest"
    kit = place / "kit" / "exercises" / lesson.name
    submission.mkdir(parents=True)
    shutil.copy(answers, submission)
    shutil.copytree(lesson.exercise, kit)
    shutil.copy(answers, kit)
    write_tests(tests, lesson, answers.read_text(encoding="utf-8"))
    python: list[object] = [sys.executable]
    options = ["--lesson", lesson.number, "-o", place / "out", "--fresh"]
    grade = [*python, "-c", GRADE, "run", place / "students" / "ada", *options]
    return {
        "import torch": ([*python, "-c", "import torch"], place),
        "cold pytest": ([*python, "-m", "pytest", "-q", "-p", "no:cacheprovider"], tests),
        "grade run": ([*grade, "--course", ROOT, "--seed", "7"], place),
        "dojo check": ([*python, "-c", DOJO, "check", lesson.number], place / "kit"),
    }


def first_result(place: Path, lesson: Lesson, turn: int) -> float:
    """Seconds from the start of a run on a class of CLASS to its first results.json."""
    submissions, out = place / "class", place / f"class-{turn}"
    if not submissions.exists():
        write_class(submissions, lesson, CLASS, (RIGHT, WRONG))
    begun = time.time()
    course = ["--course", ROOT, "--seed", "7", "--lesson", lesson.number]
    run([sys.executable, "-c", GRADE, "run", submissions, "-o", out, *course], place, environment())
    return min(path.stat().st_mtime for path in out.glob("*/results.json")) - begun


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--turns", type=int, default=10)
    chosen = parser.parse_args()
    firsts = []
    with tempfile.TemporaryDirectory(prefix="cold-") as folder:
        lesson = Course(ROOT).find("03")
        commands = lay_out(Path(folder), lesson)
        times: dict[str, list[tuple[float, float]]] = {}
        for turn in range(chosen.turns + 1):
            measured = {what: timed(*each) for what, each in commands.items()}
            firsts.append(first_result(Path(folder), lesson, turn))
            if turn:  # the first one fills the system's file cache
                for what, each in measured.items():
                    times.setdefault(what, []).append(each)
    print(f"{machine()}, {chosen.turns} turns\n")
    print(f"{'':14}{'waited s':>10}{'ratio':>8}{'processor s':>13}{'ratio':>8}")
    base = [statistics.median(column) for column in zip(*times["import torch"], strict=True)]
    for what, found in times.items():
        waited, spent = (statistics.median(column) for column in zip(*found, strict=True))
        goal = f"   (goal: {GOALS[what]:g})" if what in GOALS else ""
        print(f"{what:14}{waited:10.2f}{waited / base[0]:8.2f}{spent:13.2f}{spent / base[1]:8.2f}{goal}")
    medians = {what: statistics.median(waited for waited, _ in found) for what, found in times.items()}
    medians["first result of a class of 20"] = statistics.median(firsts[1:])
    ratios = ", ".join(f"{what} {seconds / base[0]:.2f}" for what, seconds in medians.items())
    print(f"\nwaited, as multiples of {base[0]:.2f} s: {ratios}")
