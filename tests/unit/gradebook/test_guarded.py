"""A page, an export, a curve or a reader that fails for one student: theirs is plain, and nobody else's changes."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from made_gradebook import CROSS, HANDED_IN, ROWS, grade, submission_of
from made_results import lesson as lesson_of
from made_results import results as results_by_hand
from made_results import row
from rich.console import Console
from support import ROOT

from grader.commands.live import RunView
from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.guarded import NO_REPORT, plain_results
from grader.gradebook.store import StoredVerdict
from grader.publish.export import github
from grader.publish.export.github import report_to_github
from grader.results import Row

RENDERERS = [
    "gradebook.database.standing_of",
    "publish.report.pages.Reporter.student_pages",
    "publish.report.pages.triage",
    "publish.report.classroom.short_notes",
    "publish.export.formats.gradescope_overview",
]
"""A function behind each guard that is called with what one student submitted, or with their name."""
ERROR = {"rows": 1, "columns": 2, "cells": [[0.0, 1.0]], "worst": [{"index": [0, 1], "found": 1.0, "expected": 2.0}]}
PICTURE = {"forces": {"found": [[1.0, -1.0]], "expected": [[0.5, -0.5]]}, **ERROR}


def rows_of_student(right: int) -> list[Row]:
    about = {"message": "It raised `ValueError`.", "line": 1, "file": "04_cross_entropy/backward.py"}
    wrong = {"id": "sign", "message": "The sign is flipped."}
    return [row(ROWS[0], *(("passed",) if right else ("error",)), **about), row(ROWS[1], "failed", mistake=wrong)]


class Injected(Exception):
    """The fault."""


def is_about(student: str, value: Any) -> bool:
    """Whether an argument is a student's name or results, or contains them."""
    if isinstance(value, list | tuple):
        return any(is_about(student, each) for each in value)
    results = getattr(value, "results", value)
    return student in (value, getattr(results, "student", None))


@contextmanager
def failing(renderer: str, student: str, once: bool) -> Iterator[list[str]]:
    """Within, the renderer raises for the student, at its first call or at each. Gives an entry per exception."""
    path, _, name = renderer.rpartition(".")
    owner, raised = resolve_name(f"grader.{path}"), list[str]()
    own = getattr(owner, name)

    def replaced(*arguments: Any, **named: Any) -> Any:
        if not (once and raised) and is_about(student, [*arguments, *named.values()]):
            raised.append(renderer)
            raise Injected(f"{renderer} of {student}")
        return own(*arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, replaced)
        yield raised


def files_in(out: Path) -> dict[str, bytes]:
    """{path: content} of what a class gets."""
    chosen = (path for path in out.rglob("*") if path.is_file() and ".sqlite" not in path.name)
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in chosen}


def of_others(files: Mapping[str, bytes], student: str) -> dict[str, bytes]:
    """The files of all other students, and their lines of grades.csv."""
    found = {name: text for name, text in files.items() if "/" in name and not name.startswith(f"{student}/")}
    lines = [line for line in files["grades.csv"].splitlines() if not line.startswith(student.encode() + b",")]
    return found | {"grades.csv": b"\n".join(lines)}


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """OUT under an assignment, with three students who were late, a comment, and all that a report shows."""
    out = tmp_path_factory.mktemp("guarded") / "grades"
    out.mkdir()
    with closing(Gradebook(out / GRADEBOOK)) as gradebook:
        gradebook.describe({"course": str(ROOT), "seed": "drawn"})
        for student, right in {"ada": 0, "bo": 1, "cy": 1}.items():
            submission = submission_of(student, f"def {ROWS[0]}():\n    return {right}\n")
            made = results_by_hand(student, lesson_of(CROSS, *rows_of_student(right)))
            extras = {"pictures": {CROSS: {ROWS[1]: PICTURE}}, "shown": {CROSS: ["printed"]}}
            gradebook.add(StoredVerdict("", made, None, extras), submission, stale=True)
        gradebook.set_assignment(Assignment("Homework", {CROSS: dict.fromkeys(ROWS, 1.0)}, due=HANDED_IN))
    assert grade("comment", "ada", "Well written.", "-o", out).exit_code == 0
    for folder in out.glob("*/"):
        for name in ("gradescope.json", "junit.xml"):
            (folder / name).write_text("written again where it is there", encoding="utf-8")
    return out


def written_again(place: Path, out: Path) -> tuple[str, dict[str, bytes]]:
    """(what a decision about bo prints, all files), with everybody's folder out of date before."""
    shutil.copytree(place, out, dirs_exist_ok=True)
    with closing(Gradebook(out / GRADEBOOK)) as gradebook:
        gradebook.mark_stale(["ada", "bo", "cy"])
    done = grade("adjust", "bo", "total", "--points", 1, "--because", "x", "-o", out)
    assert (done.exit_code, done.exception) == (0, None), done.output
    return done.output, files_in(out)


@pytest.fixture(scope="module")
def sound(place, tmp_path_factory) -> dict[str, bytes]:
    output, files = written_again(place, tmp_path_factory.mktemp("sound") / "grades")
    assert "a fault of the grader" not in output
    return clean(files)


def clean(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files without what a clock says."""
    moving = re.compile(rb'timestamp="[^"]*"|"made": "[^"]*"')
    return {name: moving.sub(b"", text) for name, text in files.items()}


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("once", [True, pytest.param(False, marks=pytest.mark.full)], ids=["once", "always"])
def test_a_renderer_that_fails_for_one_student_changes_nothing_of_the_others(renderer, once, place, sound, tmp_path):
    with failing(renderer, "ada", once) as raised:
        output, files = written_again(place, tmp_path / "grades")
    assert raised, f"{renderer} is not called"
    files = clean(files)
    assert of_others(files, "ada") == of_others(sound, "ada")
    is_plain = NO_REPORT.encode() in files["ada/report.html"]
    if is_plain:
        assert "The full report of ada could not be made: a fault of the grader" in output and "Injected" in output
        assert b"The full report of ada could not be made" in files["index.html"]
        assert files["ada/results.json"] == sound["ada/results.json"]
    assert once or ("Injected" in output and "ada" in output)


def test_the_next_command_writes_the_full_report(place, sound, tmp_path):
    with failing("publish.report.pages.Reporter.student_pages", "ada", once=False):
        written_again(place, tmp_path)
    done = grade("comment", "cy", "Next.", "-o", tmp_path)
    assert done.exit_code == 0 and "fault" not in done.output
    assert clean(files_in(tmp_path))["ada/report.html"] == sound["ada/report.html"]
    assert b"fault of the grader" not in (tmp_path / "index.html").read_bytes()


def test_plain_results_have_the_points_and_nothing_that_a_student_wrote():
    made = results_by_hand("ada", lesson_of(CROSS, *rows_of_student(0), message="printed by the student"))
    plain = plain_results(replace(made, message="also theirs"))
    assert [(each.name, each.status, each.points) for each in plain.rows()] == [
        (each.name, each.status, each.points) for each in made.rows()
    ]
    assert (plain.score, plain.max_score, plain.status) == (made.score, made.max_score, made.status)
    text = json.dumps(plain.to_json())
    assert not [word for word in ("ValueError", "theirs", "printed by", "flipped") if word in text]


def test_annotations_and_the_line_of_a_run_are_guarded(tmp_path, monkeypatch):
    """What a job on GitHub prints, and a line per submission."""
    ada, bo = (results_by_hand(student, lesson_of(CROSS, *rows_of_student(0))) for student in ("ada", "bo"))
    own = github.lesson_view
    monkeypatch.setattr(github, "lesson_view", lambda lesson: own(lesson) if lesson is not ada.lessons[0] else 1 / 0)
    said = list[str]()
    report_to_github(tmp_path, [ada, bo], {}, {}, said.append)
    assert len(said) == 4 and sum("It raised `ValueError`." in line for line in said) == 1
    text = io.StringIO()
    view = RunView(Console(file=text, width=200))
    monkeypatch.setattr("grader.commands.live.result_line", lambda results: 1 / 0)
    view.result(bo)
    assert text.getvalue() == "[1/0] \n"
