"""What several tests of the gradebook begin with: played runs, and a course that a test may change."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from made_gradebook import CROSS
from played_grading import PlayedRuns
from support import ROOT

from grader.lesson.lesson import Course


@pytest.fixture
def ran(tmp_path: Path, course: Course, monkeypatch: pytest.MonkeyPatch) -> PlayedRuns:
    return PlayedRuns(tmp_path / "out", course, monkeypatch)


@pytest.fixture
def own_course(tmp_path: Path) -> Path:
    """A course with lesson 04 only, which a test may change."""
    for part in ("exercises", "solutions"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / part / CROSS, tmp_path / "course" / part / CROSS, ignore=ignored)
    return tmp_path / "course"
