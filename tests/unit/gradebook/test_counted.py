"""What counts: lessons that somebody submitted, and of these the rows that a submission can contain."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from lecture_notebooks import BATCH_NORM, NOTEBOOKS, STYLES, notebook
from made_gradebook import grades_of
from made_results import lesson as lesson_of
from made_results import results as results_of
from made_results import row
from shared_nursery import run_grade
from support import ROOT, SCHEMA, solution_of

from grader.gradebook.assignment.config import Assignment, parse_assignment
from grader.gradebook.assignment.points import assigned
from grader.gradebook.grading.graded import GradedSubmission
from grader.gradebook.records import Attempt
from grader.intake.submissions.finding import find
from grader.lesson.lesson import Course
from grader.publish.report.classroom import csv_rows
from grader.publish.report.pages import Reporter
from grader.results import SubmissionResult, read_results

LESSONS = Course(ROOT).lessons

IN_THE_NOTEBOOK = ["03_makemore_steps", "04_cross_entropy", "05_batch_norm", "07_training"]


def output_of_run(*arguments: object) -> str:
    """What `grade run` prints, on both streams."""
    done = run_grade(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def result(out: Path, student: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((out / student / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(loaded, SCHEMA)
    return loaded


def attempt_of(student: str, results: SubmissionResult) -> Attempt:
    return Attempt(1, student, None, datetime(2026, 11, 1, tzinfo=UTC), results)


# Which lessons count -------------------------------------------------------------------------------------------------


@pytest.fixture
def contained(course, tmp_path):
    """contained(): the numbers of the lessons that count for what is in the folder."""

    def numbers(*paths: Path) -> list[str]:
        lessons = list(course.lessons.values())
        return [lesson.number for lesson in find(paths or [tmp_path / "in"], lessons, lessons).contained(lessons)]

    return numbers


def put(place: Path, text: str = "def dh(dlogits, W2):\n    return dlogits @ W2.T\n") -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    return place


def test_an_attempt_is_a_submission(contained, tmp_path):
    """A folder with a wrong name, one without the file, a file that is too large: a sentence says so, and it counts."""
    put(tmp_path / "in" / "ada" / "01_chain_rule" / "backward.py")
    put(tmp_path / "in" / "ada" / "lesson3" / "backward.py")
    put(tmp_path / "in" / "bo" / "04_cross_entropy" / "forward.py")
    put(tmp_path / "in" / "cy" / "06_embedding_net" / "backward.py", "#" * (1 << 21))
    assert contained() == ["01", "03", "04", "06"]


def test_where_nobody_contains_anything_all_count(contained, tmp_path):
    put(tmp_path / "in" / "ada" / "notes.txt", "nothing")
    (tmp_path / "in" / "bo").mkdir()
    assert len(contained()) == len(LESSONS)


# Which rows count ----------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_class_of_stubs_and_notebooks(course, tmp_path):
    """Everybody has the same maximum. Only an assignment leaves out what a notebook cannot contain."""
    put(tmp_path / "in" / "ada" / "05_batch_norm" / "backward.py", solution_of(course.find("05")))
    shutil.copy(NOTEBOOKS / f"{STYLES[0]}.ipynb", tmp_path / "in" / "bo.ipynb")
    shutil.copy(NOTEBOOKS / f"{STYLES[2]}.ipynb", tmp_path / "in" / "cy.ipynb")  # without exercise 4
    out = tmp_path / "out"
    first = output_of_run(tmp_path / "in", "-o", out, "--seed", "5", "--jobs", "1")
    full = sum(course.find(name).max_score for name in IN_THE_NOTEBOOK)
    assert f"bo: 42 of {full:g} (" in first and f"cy: 33 of {full:g} (" in first
    others = ", ".join(lesson.number for lesson in LESSONS.values() if lesson.number not in ("03", "04", "05", "07"))
    assert f"Not counted: {others}, which no submission contains." in first
    by_name = grades_of(out)
    norm = course.find("05").max_score
    assert (by_name["ada"]["total"], by_name["ada"]["max"]) == (f"{norm:g}", f"{full:g}")
    assert {line["counted"] for line in by_name.values()} == {", ".join(IN_THE_NOTEBOOK)}
    assert {line["max"] for line in by_name.values()} == {f"{full:g}"}
    bo = result(out, "bo")
    assert (bo["score"], bo["max_score"]) == (42, full)
    assert bo["left_out"] == [name for name in course.lessons if name not in IN_THE_NOTEBOOK]
    rows = {row["name"]: row for row in bo["lessons"][2]["gradients"]}
    assert (rows["dhprebn"]["max_points"], "outside_notebook" in rows["dhprebn"]) == (4, False)
    left = rows["forward"]
    assert (left["status"], left["counted"], left["points"], left["outside_notebook"]) == ("missing", True, 0, True)
    assert left["max_points"] == next(item.points for item in course.find("05").items if item.name == "forward")
    assert left["message"] == (
        "The lecture's notebook has no such row. For its points, submit a backward.py that has `BatchNorm1d`."
    )
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "Not counted, because no submission contains them: 01_chain_rule" in page

    # an assignment may leave these rows out; then they are not counted
    attempts = [attempt_of("bo", read_results(out / "bo"))]
    text = 'title = "Homework"\nrows = ["03", "04", "05", "07"]\nnotebook = "its rows"\n'
    assignment = parse_assignment(text, tmp_path / "hw.toml", list(LESSONS.values()))
    found = assigned("bo", assignment, attempts)
    assert (found.score, found.max_score) == (42, 42) and found.counted_parts() == (
        "03_makemore_steps, 04_cross_entropy, 05_batch_norm (1 of 13 rows), 07_training (8 of 16 rows)"
    )
    reporter = Reporter(list(LESSONS.values()))
    text = reporter.student_pages(GradedSubmission(found))["report.md"]
    assert "Everything is right" in text and "12 of the 13 rows of lesson 05 are not counted" in text
    without = assigned("bo", replace(assignment, notebook="all rows"), attempts)
    assert (without.score, without.max_score) == (42, full)

    # once more: nothing has changed, all is kept; then a lesson that nobody had
    again = output_of_run(tmp_path / "in", "-o", out, "--jobs", "1", "--seed", "5")
    assert "0 of 3 are new or changed; 3 are as before" in again
    assert grades_of(out) == by_name
    put(tmp_path / "in" / "di" / "01_chain_rule" / "backward.py", solution_of(course.find("01")))
    third = output_of_run(tmp_path / "in", "-o", out, "--jobs", "1", "--seed", "5")
    first_lesson = course.find("01").max_score
    assert f"bo: 42 of {full + first_lesson:g}" in third and "Not counted: 02, 06" in third
    assert {line["max"] for line in grades_of(out).values()} == {f"{full + first_lesson:g}"}


ONE_LINE = f"n = 32\n{BATCH_NORM}\n"


def test_one_line_of_the_lecture_does_not_choose_the_maximum(course, tmp_path, session_for):
    """In the lesson's place it is no notebook, even where the assignment leaves out what a notebook cannot contain."""
    put(tmp_path / "in" / "ada" / "05_batch_norm" / "backward.py", ONE_LINE)
    lesson = course.find("05")
    (submission,) = find([tmp_path / "in"], [lesson], list(course.lessons.values()))
    results = session_for("05").grade(submission).results
    assert (results.score, results.max_score) == (4, lesson.max_score)
    rows = {lesson.name: {item.name: item.points for item in lesson.items}}
    for assignment in (None, Assignment("", rows), Assignment("", rows, notebook="its rows")):
        found = assigned("ada", assignment, [attempt_of("ada", results)])
        assert (found.score, found.max_score) == (4, lesson.max_score)


def test_a_file_with_a_lesson_s_place_or_name_is_no_notebook(course, tmp_path):
    cells = "# %%\nget_ipython().run_line_magic('matplotlib', 'inline')\n# %% [markdown]\n# Mine\n# %%\n"
    app = f"import marimo\napp = marimo.App()\n@app.cell\ndef _():\n    n = 32\n    {BATCH_NORM}\n    return dhprebn,\n"
    texts = {
        "05_batch_norm/backward.py": ONE_LINE, "05/backward.py": cells + ONE_LINE, "backward.py": app,
        "05_batch_norm.py": cells + ONE_LINE, "Lesson 05/solution.py": app, "05_batch_norm/mine (1).py": ONE_LINE,
    }  # fmt: skip
    for number, (name, text) in enumerate(texts.items()):
        put(tmp_path / "in" / str(number) / name, text)
    submissions = list(find([tmp_path / "in"], [course.find("05")], list(course.lessons.values())))
    assert len(submissions) == len(texts)
    for submission in submissions:
        submitted = submission.lessons["05_batch_norm"]
        assert submitted.present and (submitted.origin is None or not submitted.origin.uncounted), submission.student


def test_the_stub_s_functions_in_a_notebook_count_in_full(course, tmp_path, session_for):
    cells = ["import torch\nimport torch.nn.functional as F", solution_of(course.find("05"))]
    place = put(tmp_path / "mine.ipynb", json.dumps(notebook(*cells)))
    lesson = course.find("05")
    (submission,) = find([place], [lesson], list(course.lessons.values()))
    results = session_for("05").grade(submission).results.to_json()
    assert (results["score"], results["max_score"]) == (lesson.max_score, lesson.max_score)
    assert all(row["counted"] for row in results["lessons"][0]["gradients"])


# What every output says ----------------------------------------------------------------------------------------------


PARTLY = results_of(
    "bo",
    lesson_of(
        "05_norm", row("dx"), row("layer", "missing", points=0, max_points=0, counted=False, message="Not counted: x.")
    ),
    left_out=["01_first"],
)
WHOLLY = results_of("ada", lesson_of("05_norm", row("dx"), row("layer", "todo")))


def test_grades_csv_says_what_counted():
    assert PARTLY.counted_parts() == "05_norm (1 of 2 rows)" and WHOLLY.counted_parts() == "05_norm"
    assert csv_rows([WHOLLY, PARTLY]) == [
        ["student", "05_norm", "total", "max", "percent", "counted"],
        ["ada", "1", "1", "2", "50", "05_norm"],
        ["bo", "1", "1", "1", "100", "05_norm (1 of 2 rows)"],
    ]
    assert csv_rows([WHOLLY])[0] == ["student", "05_norm", "total", "max", "percent"]
