"""`grade regrade` on a gradebook made by hand. `graders` play the grader processes: each row is right from now on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_gradebook import CROSS, change, current, grade, scores, write_gradebook
from played_grading import PlayedGraders

from grader.gradebook.database import GRADEBOOK
from grader.gradebook.files import LOCK
from grader.gradebook.grading import regrade as regrade_module
from grader.results import read_results


@pytest.fixture
def out(tmp_path: Path, own_course: Path) -> Path:
    write_gradebook(tmp_path / "grades", {"ada": 0, "Bo": 1, "cy": 2}, own_course)
    return tmp_path / "grades"


@pytest.fixture
def graders(monkeypatch: pytest.MonkeyPatch) -> PlayedGraders:
    made = PlayedGraders(2)
    monkeypatch.setattr(regrade_module, "grade_all", made)
    return made


Again = Callable[..., Any]


@pytest.fixture
def again(out: Path, own_course: Path) -> Again:
    return lambda *options: grade("regrade", "-o", out, "--require", "none", "--course", own_course, *options)


def everything_but_the_gradebook(out: Path) -> dict[str, bytes]:
    files = (path for path in out.rglob("*") if path.is_file() and not path.name.startswith((GRADEBOOK, LOCK)))
    return {str(path): path.read_bytes() for path in files}


def test_it_prints_what_would_change_and_changes_nothing(again, graders, own_course, out):
    before = everything_but_the_gradebook(out)
    change(own_course)
    done = again()
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "ada: 0 → 2 of 2 (+2)",
        f"  {CROSS}.dlogits: 0 → 1, wrong value → right",
        f"  {CROSS}.dhpreact: 0 → 1, wrong value → right",
        "Bo: 1 → 2 of 2 (+1)",
        f"  {CROSS}.dhpreact: 0 → 1, wrong value → right",
        f"{CROSS}: 2 of 3 scores change: 2 rise, 0 fall.",
        "No score has changed yet: `grade regrade --apply` applies this.",
    ]
    assert everything_but_the_gradebook(out) == before and scores(out) == {"ada": 0, "Bo": 1, "cy": 2}


def test_apply_grades_nothing_twice_and_keeps_decisions(again, graders, own_course, out):
    grade("adjust", "ada", "04.dlogits", "--points", "0.5", "--because", "x", "-o", out)
    change(own_course)
    dry = again()
    assert f"  {CROSS}.dlogits: stays 0.5, wrong value → right (adjusted by hand)" in dry.stdout
    done = again("--apply")
    assert done.exit_code == 0 and done.stdout.endswith("Applied.\n")
    assert sorted(graders.graded) == ["Bo", "ada", "cy"], "each once, by the first command"
    assert scores(out) == {"ada": 1.5, "Bo": 2, "cy": 2}
    for student, results in current(out).items():
        assert read_results(out / student) == results
    assert "1.5" in (out / "grades.csv").read_text()
    history = grade("history", "ada", "-o", out).stdout
    assert "graded again" in history and "adjusted" in history
    assert "nothing to do" in again().stdout


def test_ctrl_c_loses_nothing_that_was_graded(again, graders, own_course, out):
    change(own_course)
    graders.stop_after = 1
    done = again("--apply")
    assert done.exit_code == 130 and "1 of 3 are graded and kept aside. No score has changed." in done.stderr
    assert scores(out) == {"ada": 0, "Bo": 1, "cy": 2}
    graders.stop_after = 10
    assert again("--apply").exit_code == 0
    assert len(graders.graded) == 3 and scores(out) == {"ada": 2, "Bo": 2, "cy": 2}


def test_a_fault_applies_nothing(again, graders, own_course, out):
    change(own_course)
    graders.faults = {"Bo"}
    done = again("--apply")
    assert done.exit_code == 3 and "1 of 3 could not be graded (Bo)" in done.stderr
    assert "nothing was applied" in done.stderr and scores(out) == {"ada": 0, "Bo": 1, "cy": 2}
    graders.faults = set()
    assert again("--apply").exit_code == 0 and scores(out)["Bo"] == 2


def test_an_attempt_that_does_not_count_is_not_graded(again, graders, own_course, out):
    write_gradebook(out, {"ada": 1}, own_course)
    change(own_course)
    again()
    assert sorted(graders.graded) == ["Bo", "ada", "cy"]


def test_lessons_can_be_named(again, graders):
    assert again("--lesson", "4").exit_code == 0 and len(graders.graded) == 3
    assert again("--lesson", "9").exit_code == 2


def test_a_verdict_that_was_not_applied_never_counts(again, graders, own_course, out):
    """Not after the lesson has changed once more, nor in the history."""
    change(own_course)
    again()
    change(own_course)
    again()
    assert len(graders.graded) == 6 and scores(out) == {"ada": 0, "Bo": 1, "cy": 2}
    assert "graded again" not in grade("history", "ada", "-o", out).stdout
