"""Right and wrong submissions per second, next to cold pytest, otter and nbgrader: one class, one run.

    python -m bench peers --peers ~/peers/bin --class-size 1000 --count 10

    python3 -m venv ~/peers                                  otter and nbgrader, with the CPU build of torch
    ~/peers/bin/pip install torch numpy ipykernel otter-grader==7.0.0 nbgrader==0.9.6

`grade run` grades `--class-size` submissions of lesson 03 in varied spellings, once right ones and once wrong ones, its
start included. Each peer grades the first `--count` of them, two at a time, with 26 tests that compare one function's
float32 answer with autograd's (bench/cold_reference.py); its cost does not depend on the size of the class. `grade run`
does more for each gradient, and gets no allowance for that. A peer that is not installed is left out.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bench import ROOT
from bench.cold import GRADE, add_reference, environment, write_tests
from bench.made_up_class import RIGHT, WRONG, write_class
from bench.measuring import machine, run
from grader.lesson.lesson import Course, Lesson

AT_ONCE = 2
OTTER_TEST = """
OK_FORMAT = True
case = {{"hidden": False, "locked": False, "code": ">>> import reference\\n>>> reference.check({name!r}, globals())"}}
suite = {{"type": "doctest", "scored": True, "setup": "", "teardown": "", "cases": [case]}}
test = {{"name": {name!r}, "points": 1, "suites": [suite]}}
"""
NBGRADER_SETTINGS = "c = get_config()\nc.CourseDirectory.course_id = 'bench'\nc.ExecutePreprocessor.timeout = 60\n"

Marks = dict[str, float]
"""{student: share of the points}."""


def call(command: Sequence[str], folder: Path) -> None:
    path = f"{Path(command[0]).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader starts commands from next to it
    run(command, folder, {**os.environ, "PATH": path})


def two_at_a_time(grade: Callable[[Path], float], students: Sequence[Path]) -> Marks:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return {student.name: mark for student, mark in zip(students, pool.map(grade, students), strict=True)}


def source_of(student: Path) -> str:
    (file,) = student.glob("*/backward.py")
    return file.read_text(encoding="utf-8")


# Graders: each returns the marks of the students ----------------------------------------------------------------------


def grade_run(lesson: Lesson, place: Path, students: Sequence[Path], _: str) -> Marks:
    out = place / "grades"
    run([sys.executable, "-c", GRADE, "run", students[0].parent, "--lesson", lesson.number, "-o", out], ROOT)
    with open(out / "grades.csv", newline="") as file:
        return {row["student"]: float(row["percent"]) / 100 for row in csv.DictReader(file)}


def cold_pytest(lesson: Lesson, place: Path, students: Sequence[Path], _: str) -> Marks:
    tests = len(lesson.gradients)

    def grade(student: Path) -> float:
        folder = place / student.name
        write_tests(folder, lesson, source_of(student))
        command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment())
        wrong = done.stdout.count("\nFAILED ")
        if f"{tests - wrong} passed" not in done.stdout and wrong != tests:
            raise SystemExit(f"pytest did not run {tests} tests:\n{done.stdout}{done.stderr}")
        return 1 - wrong / tests

    return two_at_a_time(grade, students)


def otter_run(lesson: Lesson, place: Path, students: Sequence[Path], command: str) -> Marks:
    add_reference(place, lesson)
    names = [item.name for item in lesson.gradients]
    with zipfile.ZipFile(place / "autograder.zip", "w") as archive:
        archive.writestr("otter_config.json", json.dumps({"lang": "python", "autograder_dir": "/autograder"}))
        for name in names:
            archive.writestr(f"tests/{name}.py", OTTER_TEST.format(name=name))
        for name in ("forward.py", "reference.py"):
            archive.write(place / name, f"files/{name}")

    def grade(student: Path) -> float:
        folder = place / student.name
        folder.mkdir()
        write_notebook(folder / "problem.ipynb", [code_cell(source_of(student))])
        call([command, "run", "--no-logo", "-a", "../autograder.zip", "-o", ".", "problem.ipynb"], folder)
        tests = [each for each in json.loads((folder / "results.json").read_text())["tests"] if each.get("max_score")]
        if sum(each["max_score"] for each in tests) != len(names):
            raise SystemExit(f"otter did not run {len(names)} tests: {tests}")
        return float(sum(each["score"] for each in tests)) / len(names)

    return two_at_a_time(grade, students)


def nbgrader_autograde(lesson: Lesson, place: Path, students: Sequence[Path], command: str) -> Marks:
    """A command for a whole class: two are started, each over half of it, so that both cores work here, too."""
    names = [item.name for item in lesson.gradients]
    courses = [place / str(number) for number in range(AT_ONCE)]
    for number, course in enumerate(courses):
        lay_out_course(lesson, course, command, names, students[number::AT_ONCE])
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda course: call([command, "autograde", "ps"], course), courses))
    marks = {}
    for course in courses:
        call([command, "export"], course)
        with open(course / "grades.csv", newline="") as file:
            marks.update({row["student_id"]: float(row["score"]) / len(names) for row in csv.DictReader(file)})
    return marks


def lay_out_course(lesson: Lesson, course: Path, command: str, names: list[str], students: Sequence[Path]) -> None:
    """A course of nbgrader's with one assignment, released, and submitted by `students`."""
    source = course / "source" / "ps"
    add_reference(source, lesson)
    (course / "nbgrader_config.py").write_text(NBGRADER_SETTINGS)

    def role(identity: str, **more: Any) -> dict[str, Any]:
        plain = {"grade": False, "solution": False, "locked": False, "task": False, "points": 0}
        return {"nbgrader": {"schema_version": 3, "grade_id": identity, **plain, **more}}

    cells = [code_cell("### BEGIN SOLUTION\n### END SOLUTION", role("answer", solution=True))]
    for name in names:
        test = f"import reference\nreference.check({name!r}, globals())"
        cells.append(code_cell(test, role(name, grade=True, locked=True, points=1)))
    write_notebook(source / "problem.ipynb", cells)
    call([command, "generate_assignment", "ps"], course)
    released = json.loads((course / "release" / "ps" / "problem.ipynb").read_text())
    for student in students:
        folder = course / "submitted" / student.name / "ps"
        folder.mkdir(parents=True)
        released["cells"][0]["source"] = source_of(student)
        (folder / "problem.ipynb").write_text(json.dumps(released))


def code_cell(source: str, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": metadata or {}, "outputs": [], "source": source}


def write_notebook(path: Path, cells: Sequence[dict[str, Any]]) -> None:
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    numbered = [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(cells)]
    path.write_text(json.dumps({"cells": numbered, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))


GRADERS = {"grade run": grade_run, "pytest": cold_pytest, "otter": otter_run, "nbgrader": nbgrader_autograde}


def main(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--class-size", type=int, default=200, help="submissions that grade run gets, of each kind")
    parser.add_argument("--count", type=int, default=10, help="of these, submissions that each peer gets")
    parser.add_argument("--peers", type=Path, help="folder with the commands otter and nbgrader")
    chosen = parser.parse_args()
    lesson = Course(ROOT).find("03")
    print(f"{machine()}; lesson 03, submissions per second\n")
    print(f"{'':10}{'':7}{'graded':>7}{'full marks':>12}{'per second':>12}{'grade run is':>14}")
    found = []
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        for kind in (RIGHT, WRONG):
            submissions, ours = Path(folder) / kind, 0.0
            write_class(submissions, lesson, chosen.class_size, (kind,))
            students = sorted(submissions.iterdir())
            for name, grade in GRADERS.items():
                command = shutil.which(name, path=str(chosen.peers)) if chosen.peers else None
                if name in ("otter", "nbgrader") and command is None:
                    continue
                graded = students if name == "grade run" else students[: chosen.count]
                started = time.perf_counter()
                marks = grade(lesson, Path(folder) / f"{name} {kind}", graded, command or "")
                rate = len(marks) / (time.perf_counter() - started)
                ours = ours or rate
                full = sum(mark == 1 for mark in marks.values())
                print(f"{name:10}{kind:7}{len(marks):7}{full:12}{rate:12.2f}{ours / rate:12.1f} x", flush=True)
                found.append(f"{name} {kind} {rate:.2f} ({ours / rate:.1f} x)")
    print(f"\nper second, and `grade run` is: {', '.join(found)}")
