"""A broken lesson is named by `grade verify`; what fails in `grade run` is reported, also with --quiet."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support import ROOT, solution_of

from grader.authoring.lesson_review import faults_of
from grader.commands.command_line import FAULT
from grader.commands.grade import main
from grader.commands.live import what_failed
from grader.lesson.lesson import Course, Lesson, LessonError

NAME = "04_cross_entropy"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A course with lesson 04 alone, to be broken, and one right submission in `in`."""
    for part in ("exercises", "solutions"):
        shutil.copytree(ROOT / part / NAME, tmp_path / part / NAME, ignore=shutil.ignore_patterns("__pycache__"))
    place = tmp_path / "in" / "ada" / NAME
    place.mkdir(parents=True)
    (place / "backward.py").write_text(solution_of(Course(tmp_path).find("04")))
    return tmp_path


def lesson_in(course: Path) -> Lesson:
    return Course(course).find("04")


def replace(path: Path, old: str, new: str) -> None:
    source = path.read_text(encoding="utf-8")
    assert old in source
    path.write_text(source.replace(old, new), encoding="utf-8")


def add(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def toml(course: Path) -> Path:
    return course / "exercises" / NAME / "lesson.toml"


def suite(course: Path) -> Path:
    return lesson_in(course).suite


def grade(course: Path, *arguments: object) -> Any:
    command = ["run", course / "in", "-o", course / "out", "--course", course, "--jobs", "1", "--require", "none"]
    return CliRunner().invoke(main, [*map(str, command), *map(str, arguments)])


# Refused --------------------------------------------------------------------------------

BREAKS = {
    "a check without a row": lambda c: add(suite(c), "\n\ndef test_extra(check):\n    pass\n"),
    "a row without a check": lambda c: add(toml(c), "\n[checks.extra]\npoints = 1\nhints = ['a', 'b', 'c']\n"),
    "a row whose test is no check": lambda c: replace(suite(c), "_one_go(check)", "_one_go(other)"),
    "a suite that is not Python": lambda c: add(suite(c), "\ndef test_(:\n"),
    "a forward pass that is not Python": lambda c: add(c / "exercises" / NAME / "forward.py", "\nt.x = = 1\n"),
    "mistakes that are not Python": lambda c: add(c / "solutions" / NAME / "mistakes.py", "\n  x = 1\n"),
    "no suite": lambda c: suite(c).unlink(),
    "two suites": lambda c: shutil.copy(suite(c), c / "solutions" / NAME / "test_second.py"),
    "no forward pass": lambda c: (c / "exercises" / NAME / "forward.py").unlink(),
}  # fmt: skip


def test_what_is_broken_is_one_sentence(own, tmp_path_factory):
    for what, spoil in BREAKS.items():
        spoiled = tmp_path_factory.mktemp("spoiled") / "course"
        shutil.copytree(own, spoiled)
        spoil(spoiled)
        try:
            found = list(faults_of(lesson_in(spoiled)))
        except LessonError as error:
            found = [str(error)]
        assert len(found) == 1, (what, found)


# What fails in the middle --------------------------------------------------------------------------------


@pytest.mark.full
def test_quiet_reports_what_could_not_be_graded(own):
    """A suite that raises while it runs is found by running it only."""
    assert grade(own, "--quiet").stderr == ""
    add(suite(own), "\nraise RuntimeError('the author was tired')\n")
    done = grade(own, "--quiet")
    assert done.exit_code == FAULT and done.stdout == ""
    first, advice = done.stderr.splitlines()
    assert first.startswith(
        "grade: 1 of 1 could not be graded (ada): GraderFault: The hidden suite of 04_cross_entropy"
    )
    assert "the author was tired" in first
    assert advice == "grade: They have no score until the same command, run again, grades them."
    assert "Everything is right" not in (own / "out" / "ada" / "report.md").read_text(encoding="utf-8")
    assert "the author was tired" not in (own / "out" / "ada" / "report.html").read_text(encoding="utf-8")


def test_one_line_for_each_reason():
    reasons = {f"s{number}": f"no row\nfor d{number % 2}" for number in range(30)} | {"\x1b[31mx": "y" * 5000}
    lines = what_failed(reasons, 40)
    assert lines[0].startswith("15 of 40 could not be graded (s0, s2, ") and lines[0].endswith(
        "and 5 more): no row for d0"
    )
    assert len(lines) == 4 and len(lines[2]) < 700
    many = what_failed({f"s{number}": f"reason {number}" for number in range(9)}, 9)
    assert len(many) == 7 and many[5] == "... and 4 other reasons."
    assert what_failed({}, 9) == []
