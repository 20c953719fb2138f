"""Numerical differentiation earns no points where it is seen, and no right file is accused: tests/corpus/numerical.

tests/unit/calling/test_numerical_watch.py has code that hides it, and right code that is odd.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, SEED, Rows, rows_of, sampled

from bench.numerical import OWN, Attempt, attempts, course_with_points, source_of
from grader.gradebook.grading.session import Session
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.finding import find
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import BACKWARD_FILE

BY_NAME = {attempt.name: attempt for attempt in attempts()}
OWN_RULES = [attempt for attempt in BY_NAME.values() if attempt.method == OWN]
ALIKE = [attempt for attempt in BY_NAME.values() if not attempt.rows]
TRIED = [attempt for attempt in BY_NAME.values() if attempt not in ALIKE and attempt not in OWN_RULES]


def submission_of(lesson: Lesson, attempt: Attempt) -> Submission:
    submitted = {lesson.name: LessonFiles(lesson.name, {BACKWARD_FILE: source_of(lesson, attempt)})}
    return Submission(attempt.name, Path(attempt.name), submitted)


@pytest.fixture(scope="module")
def graded(session_for: Callable[..., Session], course: Course) -> Callable[[str], Any]:
    def grade(name: str) -> Any:
        attempt = BY_NAME[name]
        return session_for(attempt.lesson).grade(submission_of(course.find(attempt.lesson), attempt))

    return grade


def test_enough_of_each() -> None:
    assert len(TRIED) >= 20 and len(ALIKE) >= 8 and len(OWN_RULES) >= 3
    assert {attempt.lesson for attempt in TRIED} >= {"01", "03", "04", "05", "06", "07", "11"}
    assert len(BY_NAME) == len(attempts())
    gaps = {attempt.name for attempt in TRIED if not attempt.is_seen}
    listed = (ROOT / "docs" / "security.md").read_text(encoding="utf-8").partition("- **Derivatives by other")[2]
    assert [name for name in gaps if f"`{name}`" not in listed.partition("\n- **")[0]] == []


@sampled("attempt", TRIED, keep=1, ids=lambda attempt: attempt.name)
def test_an_attempt_earns_nothing_by_default(attempt: Attempt, graded: Callable[[str], Any]) -> None:
    """Its values are wrong, or it is seen. A gap is an attempt that is neither."""
    rows = rows_of(graded(attempt.name).results)
    assert set(attempt.rows) <= rows.keys()
    for row in rows.values():
        observed = row["numerical_differentiation"]
        if row["name"] in attempt.rows and attempt.is_seen:
            assert row["status"] != "passed" and row["points"] == 0
        if observed is not None:
            assert (row["name"] in attempt.rows, observed["method"]) == (True, attempt.method)
            assert row["status"] == "forbidden" and row["message"] == observed["message"]
            assert observed["file"] == BACKWARD_FILE and len(row["message"].split()) < 40


@sampled("attempt", [*ALIKE, *OWN_RULES], keep=2, ids=lambda attempt: attempt.name)
def test_what_only_looks_like_it_is_not_accused(attempt: Attempt, graded: Callable[[str], Any]) -> None:
    """Own differentiation, too, however dual numbers are written."""
    rows = rows_of(graded(attempt.name).results)
    statuses = {row["status"] for row in rows.values()}
    assert statuses == {"passed"} if attempt in OWN_RULES else "forbidden" not in statuses
    assert [name for name, row in rows.items() if row["numerical_differentiation"]] == []


@pytest.mark.full
def test_the_setting_gives_points(tmp_path: Path) -> None:
    """The verdict is then on the value, and the row says what was observed."""
    course = course_with_points(tmp_path)
    lesson = course.find("03")
    session = Session([lesson], SEED)
    try:
        rows: Rows = rows_of(session.grade(submission_of(lesson, BY_NAME["tanh_eighth_order"])).results)
    finally:
        session.close()
    row = rows["dhpreact"]
    assert (row["status"], row["points"]) == ("passed", row["max_points"])
    assert row["message"].endswith("a small step apart (numerical differentiation). This course gives points for it.")


@pytest.mark.full
def test_a_notebooks_gradient_is_seen(session_for: Callable[..., Session], course: Course, tmp_path: Path) -> None:
    lecture = ROOT / "tests" / "corpus" / "notebooks" / "colab_as_in_the_lecture.ipynb"
    book = json.loads(lecture.read_text(encoding="utf-8"))
    differences = (
        "z = torch.complex(hpreact, torch.full_like(hpreact, 1e-20))\ndhpreact = dh * torch.tanh(z).imag / 1e-20\n"
    )
    for cell in book["cells"]:
        lines = "".join(cell["source"]).splitlines(keepends=True)
        cell["source"] = "".join(differences if line.startswith("dhpreact =") else line for line in lines)
    path = tmp_path / "mine.ipynb"
    path.write_text(json.dumps(book), encoding="utf-8")
    session = session_for("03")
    (submission,) = find([path], session.lessons, list(course.lessons.values()))
    row = rows_of(session.grade(submission).results)["dhpreact"]
    assert row["status"] == "forbidden" and row["numerical_differentiation"]["method"] == "complex numbers"
    assert "mine.ipynb" in row["file"]
