"""SIGKILL at any moment of adjust, regrade and run: the gradebook is whole, decisions are there, no page stays stale.

A command runs in a fork of the test process. Before and after each write to the database or to a file it counts, and
kills itself at a chosen count. Grader processes are played; grading/test_resume.py kills real ones.

    pytest tests/unit/gradebook/test_killed.py -m slow        50 moments of each command, about three minutes
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from made_gradebook import CROSS, change, current, grade, submission_of, write_gradebook
from played_grading import FoundHere, PlayedGraders, Watching

from grader.gradebook.connection import Connection
from grader.gradebook.database import GRADEBOOK
from grader.gradebook.grading import regrade as regrade_module
from grader.gradebook.grading import run as run_module
from grader.gradebook.grading.run import GradingRun
from grader.gradebook.grading.settings import Settings
from grader.lesson.lesson import Course
from grader.publish.report.pages import Reporter
from grader.results import read_results

MOMENTS = 50
WRITES = (
    (Connection, "execute"),
    (Connection, "execute_each"),
    (Path, "replace"),
    (Path, "unlink"),
    (Path, "write_text"),
)


def adjust(out: Path, course: Path) -> None:
    grade("adjust", "Bo", "04.dhpreact", "--points", "1", "--because", "late", "-o", out, "--course", course)


def regrade(out: Path, course: Path) -> None:
    grade("regrade", "--apply", "-o", out, "--require", "none", "--course", course)


def run(out: Path, course: Path) -> None:
    """Two students submit anew, and one for the first time."""
    loaded = Course(course)
    settings = Settings(course=str(course), lessons=[CROSS], seed=1, out=str(out))
    found = FoundHere([submission_of(name, "new\n") for name in ("ada", "Bo", "di")])
    lessons = [loaded.lessons[CROSS]]
    watched = {"publisher": Reporter(lessons), "live": Watching()}
    GradingRun(found=found, lessons=lessons, course=loaded, settings=settings, **watched).run()


def in_fork(command: Callable[[], None], kill_at: int) -> int:
    """Run `command` in a fork that kills itself at this count of writes; how far it came, or 0 if it was killed."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        done = count(1)

        def tick() -> int:
            number = next(done)
            if number == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return number

        def counted(function: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any, **options: Any) -> Any:
                tick()
                try:
                    return function(*arguments, **options)
                finally:
                    tick()

            return call

        try:
            for kind, name in WRITES:
                setattr(kind, name, counted(getattr(kind, name)))
            command()
            os.write(write, str(tick()).encode())
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        return int(pipe.read() or 0)


@pytest.fixture
def before(tmp_path: Path, own_course: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a course, and OUT with three attempts, reports and a decision."""
    course, out = tmp_path / "before" / "course", tmp_path / "before" / "grades"
    shutil.copytree(own_course, course)
    write_gradebook(out, {"ada": 0, "Bo": 1, "cy": 2}, course)
    for student in ("ada", "Bo", "cy"):
        assert grade("comment", student, "Seen.", "-o", out, "--course", course).exit_code == 0
    points = ("--points", "0.5", "--because", "x", "-o", out, "--course", course)
    assert grade("adjust", "ada", "04.dlogits", *points).exit_code == 0
    monkeypatch.setattr(run_module, "grade_all", PlayedGraders(1))
    return tmp_path / "before"


def kill_at_moments(before: Path, command: Callable[[Path, Path], None], moments: int) -> None:
    place = before.parent / "now"

    def attempt(kill_at: int) -> tuple[int, Path]:
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(before, place)
        out, course = place / "grades", place / "course"
        with sqlite3.connect(out / GRADEBOOK) as book:  # the course has moved with the copy
            book.execute("UPDATE about SET value = ? WHERE name = 'course'", (str(course),))
        return in_fork(lambda: command(out, course), kill_at), out

    total, out = attempt(10**9)
    assert total > 10, "the command did not work"
    expected = {student: results.score for student, results in current(out).items()}
    for number in range(moments):
        kill_at = 1 + number * (total - 1) // moments
        reached, out = attempt(kill_at)
        assert reached == 0, "it was not killed"
        found = check(out)
        assert set(expected) - {"di"} <= set(found)
        command(out, place / "course")  # the same command again, to its end
        assert check(out) == expected, f"killed at {kill_at} of {total}"


def check(out: Path) -> dict[str, float]:
    """The scores, after checking the database, its decisions, and that the next command leaves no page stale."""
    with sqlite3.connect(out / GRADEBOOK) as book:
        assert book.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert book.execute("SELECT count(*) FROM attempts").fetchone()[0] >= 3
        made = book.execute("SELECT student, kind, points FROM decisions ORDER BY id LIMIT 4").fetchall()
        assert made == [*((name, "comment", None) for name in ("ada", "Bo", "cy")), ("ada", "points", 0.5)]
    assert grade("comment", "cy", "Seen.", "-o", out, "--course", out.parent / "course").exit_code == 0
    shown = current(out)
    for student, results in shown.items():
        if student in ("ada", "Bo", "cy"):
            assert read_results(out / student) == results, student
    adjusted = shown["ada"].lessons[0].rows[0]
    assert (adjusted.points, shown["ada"].lessons[0].score) == (0.5, sum(r.points for r in shown["ada"].rows()))
    return {student: results.score for student, results in shown.items()}


@pytest.mark.parametrize(
    "moments", [pytest.param(3, marks=pytest.mark.full), pytest.param(MOMENTS, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("command", [adjust, regrade, run])
def test_killed_at_some_moments(before, monkeypatch, command, moments):
    if command is regrade:
        change(before / "course")
        monkeypatch.setattr(regrade_module, "grade_all", PlayedGraders(2))
    kill_at_moments(before, command, moments)
