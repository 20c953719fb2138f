"""What a submission costs, beside other graders: one class, every grader that is installed, one run.

    python -m bench peers                                    grade run and cold pytest; others where PATH has them
    python -m bench peers --peers ~/peers/bin                otter and nbgrader installed in an environment of their own
    python -m bench peers --class-size 1000 --count 50

    python3 -m venv ~/peers                                  that environment, with the CPU build of torch
    ~/peers/bin/pip install torch numpy ipykernel otter-grader==7.0.0 nbgrader==0.9.6

Every grader gets the first `--count` submissions of the same class (bench/made_up_class.py: right and wrong ones in
turn) for lesson 03, two at a time. Each peer has the 26 gradients as its own format has them, 26 tests that compare one
function's float32 answer with autograd's by `torch.allclose` (bench/peers_reference.py, the same text for all):

- pytest, cold: a test file with 26 cases, `python -m pytest` started for each submission, no plugins, in this
  environment.
- otter run: a notebook with the student's functions, 26 test files in an autograder.zip, `otter run` for each.
- nbgrader autograde: a notebook with the student's functions and 26 graded cells. It is a command for a whole class:
  two are started, each over half of it, so that both cores work here, too.

`grade run` does more for each gradient (float64, several hidden problems, random upstream, the student's chain, the
bits, naming the mistake, a locked-in process, a report) and gets no allowance for that. It is made for classes: it
grades the whole of `--class-size`, starting two processes included. "Once it runs" leaves that start out. A peer's cost
does not depend on the size of the class, as each starts anew for each submission (nbgrader: a new kernel).
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import ROOT
from bench.made_up_class import RIGHT, WRONG, write_class
from grader.lesson.lesson import Course, Lesson

AT_ONCE = 2
GOALS = {"pytest": 15.0, "otter": 40.0, "nbgrader": 40.0}
GRADE = "from grader.commands.start_grade import main; main()"
TEST = """
import backward
import pytest
import reference

@pytest.mark.parametrize("name", {names!r})
def test_gradient(name):
    reference.check(name, vars(backward))
"""
OTTER_TEST = """
OK_FORMAT = True
case = {{"hidden": False, "locked": False, "code": ">>> import reference\\n>>> reference.check({name!r}, globals())"}}
suite = {{"type": "doctest", "scored": True, "setup": "", "teardown": "", "cases": [case]}}
test = {{"name": {name!r}, "points": 1, "suites": [suite]}}
"""
NBGRADER_SETTINGS = "c = get_config()\nc.CourseDirectory.course_id = 'bench'\nc.ExecutePreprocessor.timeout = 60\n"


@dataclass
class Measured:
    """`marks` are the shares of the points, by student; `seconds` are for all of them."""

    what: str
    seconds: float
    marks: dict[str, float]


class Bench:
    """A class on disk, and where the peers' folders go."""

    def __init__(self, place: Path, lesson: Lesson, submissions: Path, count: int) -> None:
        self.place, self.lesson = place, lesson
        self.names = [item.name for item in lesson.gradients]
        self.students = sorted(path for path in submissions.iterdir())[:count]

    def source(self, student: Path) -> str:
        return (student / self.lesson.name / "backward.py").read_text(encoding="utf-8")

    def add_reference(self, folder: Path) -> None:
        shutil.copy(self.lesson.exercise / "forward.py", folder)
        shutil.copy(ROOT / "bench" / "peers_reference.py", folder / "reference.py")

    def two_at_a_time(self, grade: Callable[[Path], float]) -> tuple[float, dict[str, float]]:
        started = time.perf_counter()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            marks = list(pool.map(grade, self.students))
        return time.perf_counter() - started, dict(zip((s.name for s in self.students), marks, strict=True))


def call(command: Sequence[object], folder: Path) -> None:
    """Ends the bench with all that the command said when it fails."""
    words = [str(part) for part in command]
    path = f"{Path(words[0]).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader starts commands from beside it
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": path})
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")


# grade run -----------------------------------------------------------------------------------------------------------


def grade_run(submissions: Path, out: Path) -> tuple[Measured, Measured]:
    """The whole run, and the part of it after the first result."""
    command = [sys.executable, "-c", GRADE, "run", submissions, "--lesson", "03", "-o", out, "--jobs", AT_ONCE]
    started = time.perf_counter()
    call(command, ROOT)
    seconds = time.perf_counter() - started
    with open(out / "grades.csv", newline="") as file:
        marks = {row["student"]: float(row["percent"]) / 100 for row in csv.DictReader(file)}
    finished = sorted(path.stat().st_mtime_ns for path in out.glob("*/results.json"))
    running = (finished[-1] - finished[0]) / 1e9 * len(marks) / (len(marks) - 1)
    return Measured("grade run", seconds, marks), Measured("  once it runs", running, marks)


# Peers ---------------------------------------------------------------------------------------------------------------


def cold_pytest(bench: Bench, _: Path | None) -> Measured:
    names = bench.names

    def grade(student: Path) -> float:
        folder = bench.place / "pytest" / student.name
        folder.mkdir(parents=True)
        bench.add_reference(folder)
        (folder / "backward.py").write_text(bench.source(student), encoding="utf-8")
        (folder / "test_backward.py").write_text(TEST.format(names=names), encoding="utf-8")
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        options = ["-q", "--tb=short", "-p", "no:cacheprovider"]
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        command = [sys.executable, "-m", "pytest", *options]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
        wrong = done.stdout.count("\nFAILED ")
        if f"{len(names) - wrong} passed" not in done.stdout and wrong != len(names):
            raise SystemExit(f"pytest did not run {len(names)} tests:\n{done.stdout}{done.stderr}")
        return 1 - wrong / len(names)

    return Measured("pytest, cold", *bench.two_at_a_time(grade))


def otter_run(bench: Bench, command: Path | None) -> Measured:
    place = bench.place / "otter"
    (place / "tests").mkdir(parents=True)
    bench.add_reference(place)
    with zipfile.ZipFile(place / "autograder.zip", "w") as archive:
        archive.writestr("otter_config.json", json.dumps({"lang": "python", "autograder_dir": "/autograder"}))
        for name in bench.names:
            archive.writestr(f"tests/{name}.py", OTTER_TEST.format(name=name))
        for name in ("forward.py", "reference.py"):
            archive.write(place / name, f"files/{name}")

    def grade(student: Path) -> float:
        folder = place / student.name
        folder.mkdir()
        write_notebook(folder / "problem.ipynb", [code_cell(bench.source(student))])
        call([command, "run", "--no-logo", "-a", "../autograder.zip", "-o", ".", "problem.ipynb"], folder)
        tests = [each for each in json.loads((folder / "results.json").read_text())["tests"] if each.get("max_score")]
        if sum(each["max_score"] for each in tests) != len(bench.names):
            raise SystemExit(f"otter did not run {len(bench.names)} tests: {tests}")
        return float(sum(each["score"] for each in tests)) / len(bench.names)

    return Measured("otter run", *bench.two_at_a_time(grade))


def nbgrader_autograde(bench: Bench, command: Path | None) -> Measured:
    halves = [bench.students[number::AT_ONCE] for number in range(AT_ONCE)]
    courses = [nbgrader_course(bench, bench.place / f"nbgrader-{n}", command, half) for n, half in enumerate(halves)]
    started = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda course: call([command, "autograde", "ps"], course), courses))
    seconds = time.perf_counter() - started
    marks = {}
    for course in courses:
        call([command, "export"], course)
        with open(course / "grades.csv", newline="") as file:
            marks.update({row["student_id"]: float(row["score"]) / len(bench.names) for row in csv.DictReader(file)})
    return Measured("nbgrader autograde", seconds, marks)


def nbgrader_course(bench: Bench, course: Path, command: Path | None, students: Sequence[Path]) -> Path:
    """A course with one assignment, released, and handed in by `students`."""
    source = course / "source" / "ps"
    source.mkdir(parents=True)
    (course / "nbgrader_config.py").write_text(NBGRADER_SETTINGS)
    bench.add_reference(source)

    def role(identity: str, **more: Any) -> dict[str, Any]:
        plain = {"grade": False, "solution": False, "locked": False, "task": False, "points": 0}
        return {"nbgrader": {"schema_version": 3, "grade_id": identity, **plain, **more}}

    cells = [code_cell("### BEGIN SOLUTION\n### END SOLUTION", role("answer", solution=True))]
    for name in bench.names:
        test = f"import reference\nreference.check({name!r}, globals())"
        cells.append(code_cell(test, role(name, grade=True, locked=True, points=1)))
    write_notebook(source / "problem.ipynb", cells)
    call([command, "generate_assignment", "ps"], course)
    released = json.loads((course / "release" / "ps" / "problem.ipynb").read_text())
    for student in students:
        folder = course / "submitted" / student.name / "ps"
        folder.mkdir(parents=True)
        released["cells"][0]["source"] = bench.source(student)
        (folder / "problem.ipynb").write_text(json.dumps(released))
    return course


def code_cell(source: str, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": metadata or {}, "outputs": [], "source": source}


def write_notebook(path: Path, cells: Sequence[dict[str, Any]]) -> None:
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    numbered = [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(cells)]
    path.write_text(json.dumps({"cells": numbered, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))


PEERS = {"pytest": cold_pytest, "otter": otter_run, "nbgrader": nbgrader_autograde}


# The table -----------------------------------------------------------------------------------------------------------


def line(measured: Measured, ours: float, goal: float | None = None) -> str:
    """A row; of every two students, in order of name, the first is right and the second wrong."""
    students = sorted(measured.marks)
    each = measured.seconds / len(students)
    full = [f"{sum(measured.marks[s] == 1 for s in kind)} of {len(kind)}" for kind in (students[::2], students[1::2])]
    times = f"{each / ours:.1f}" + ("" if goal is None else f" (goal: {goal:g})")
    return row(measured.what, len(students), f"{measured.seconds:.1f}", f"{each:.3f}", *full, times)


def row(*cells: object) -> str:
    widths = (20, 8, 9, 9, 13, 13)
    return "".join(f"{cell!s:<{width}}" for cell, width in zip(cells, (*widths, 0), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--class-size", type=int, default=200, help="submissions that grade run gets")
    parser.add_argument("--count", type=int, default=20, help="of these, submissions that each peer gets")
    parser.add_argument("--peers", type=Path, default=None, help="folder with the commands otter and nbgrader")
    parser.add_argument("--only", nargs="+", choices=PEERS, default=list(PEERS))
    options = parser.parse_args()
    lesson = Course(ROOT).find("03")
    left_out = []
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        place = Path(folder)
        submissions = place / "submissions"
        write_class(submissions, lesson, options.class_size, (RIGHT, WRONG))
        bench = Bench(place, lesson, submissions, options.count)
        measured = []
        for name in options.only:
            found = shutil.which(name, path=str(options.peers) if options.peers else None)
            if name != "pytest" and found is None:
                left_out.append(f"{name} is not installed: not run (see --help).")
                continue
            print(f"{name} ...", file=sys.stderr, flush=True)
            measured.append((PEERS[name](bench, Path(found) if found else None), GOALS[name]))
        print("grade run ...", file=sys.stderr, flush=True)
        whole, running = grade_run(submissions, place / "grades")
    ours = whole.seconds / len(whole.marks)
    print(f"Lesson 03, {os.cpu_count()} cores ({platform.machine()}), load {os.getloadavg()[0]:.1f}\n")
    print(row("", "graded", "seconds", "each", "right full", "wrong full", "times grade run"))
    print(line(whole, ours), line(running, ours), *(line(each, ours, goal) for each, goal in measured), sep="\n")
    print(*left_out, sep="\n")
