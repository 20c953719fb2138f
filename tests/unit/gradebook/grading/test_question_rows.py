"""Answers to questions in a graded submission, and their points by an assignment."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from made_attempts import attempt
from support import ROOT, rows_of, solution_of

from grader.gradebook.assignment.config import Assignment, parse_assignment
from grader.gradebook.assignment.points import assigned
from grader.gradebook.grading.graded import GradedSubmission
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.report.classroom import triage
from grader.publish.report.pages import Reporter
from grader.publish.view import RowView
from grader.results import Row, SubmissionResult

ANSWERS = b"""
student = "ada"
[answers]
sum_backward = "dy.expand_as(x)"
broadcast_backward = "dy.mean(0)"
product_first = 2
small_outputs = "stops_near_zero"
why_elegant = "It is <b>short</b>."
order_of_backward = "a"
zeroes = 3
"""
QUIZ = 'title = "Quiz"\nrows = ["01.dp", {rows = "01.q:*_backward", points = 3}, {rows = "01.q:why_*", weight = 2}]\n'


@pytest.fixture(scope="module")
def submission(course) -> Submission:
    """Lesson 01, solved, with answers.toml."""
    lesson = course.find("01")
    files = {BACKWARD_FILE: solution_of(lesson).encode()}
    return Submission("ada", Path("ada"), {lesson.name: LessonFiles(lesson.name, files, answers=ANSWERS)})


@pytest.fixture
def answered(session_for, submission):
    """What came of it: graded once for all tests here."""
    if not KEPT:
        KEPT.append(session_for("01").grade(submission))
    return KEPT[0]


KEPT: list[GradedSubmission] = []


def quiz(course, text: str = QUIZ) -> Assignment:
    return parse_assignment(text, Path("quiz.toml"), list(course.lessons.values()))


def standing(course, results: SubmissionResult, text: str = QUIZ) -> SubmissionResult:
    made = replace(attempt(1, None, *results.lessons), verdict=results)
    return assigned("ada", quiz(course, text), [made])


def test_answers_are_rows_without_points(course, answered) -> None:
    results = answered.results
    rows = {row.name: row for row in results.lessons[0].rows}
    assert (results.score, results.max_score) == (32, 32)
    assert {name: row.status for name, row in rows.items() if row.name.startswith("q:") and row.answer} == {
        "q:sum_backward": "passed",
        "q:broadcast_backward": "failed",
        "q:product_first": "failed",
        "q:small_outputs": "failed",
        "q:why_elegant": "todo",
        "q:order_of_backward": "error",
    }
    assert rows["q:zeros"] == Row("q:zeros", "todo", 0, 0, file="answers.toml")
    assert "You average over the copies." in (rows["q:broadcast_backward"].message or "")
    assert rows["q:small_outputs"].answer.text.startswith("Hardly any gradient comes through, because small")
    assert results.lessons[0].message == "answers.toml: the lesson has no question 'zeroes'; did you mean 'zeros'?"
    schema = json.loads((ROOT / "grader/schema/results.schema.json").read_text())
    jsonschema.validate(results.to_json(), schema)
    assert SubmissionResult.from_text(results.to_text()) == results


def test_an_assignment_gives_them_points(course, answered) -> None:
    results = standing(course, answered.results)
    points = {row.name: (row.points, row.max_points) for row in results.lessons[0].rows}
    assert points == {
        "dp": (1, 1),
        "q:sum_backward": (1, 1),
        "q:broadcast_backward": (0, 1),
        "q:order_of_backward": (0, 1),
        "q:why_not_divided": (0, 2),
        "q:why_elegant": (0, 2),
    }
    assert [reasons for _, reasons in triage([results])] == [
        [("wrote a text that a person reads: see grade adjust", "01_chain_rule.q:why_elegant")]
    ]


def test_without_answers_nothing_changes_but_every_listed_question_is_missing(course, answered) -> None:
    alone = answered.results.lessons[0]
    alone = replace(alone, rows=[row for row in alone.rows if not row.name.startswith("q:")])
    results = standing(course, replace(answered.results, lessons=[alone]))
    assert (results.score, results.max_score) == (1, 8)
    assert {row.status for row in results.lessons[0].rows if row.name != "dp"} == {"missing"}
    whole = standing(course, replace(answered.results, lessons=[alone]), 'title = "All"\nrows = ["01", "01.*"]\n')
    assert (whole.score, whole.max_score) == (32, 32)


def test_answers_alone_are_graded(session_for) -> None:
    files = LessonFiles("01_chain_rule", answers=b"why_elegant = 3\n[", message="backward.py is missing.")
    lesson = session_for("01").grade(Submission("bo", Path("bo"), {files.lesson: files})).results.lessons[0]
    assert (lesson.status, lesson.score, lesson.max_score) == ("graded", 0, 32)
    assert (lesson.message or "").startswith(
        "Only the answers to the questions were submitted. backward.py is missing."
    )
    row = rows_of(SubmissionResult(student="bo", lessons=[lesson]))["q:zeros"]
    assert row["status"] == "error" and row["message"].startswith("answers.toml cannot be read: ")


def test_reports_show_answer_verdict_and_explanation(course, answered) -> None:
    reporter = Reporter([course.find("01")])
    shown = replace(answered, results=standing(course, answered.results))
    page, text = reporter.student_pages(shown)["report.html"], reporter.student_pages(shown)["report.md"]
    assert "Your answer:</b> It is &lt;b&gt;short&lt;/b&gt;." in page and "for a person to read" in page
    assert "You average over the copies." in page and "dy.sum(0)" not in page
    assert "- `sum_backward` (right, 1 of 1): The forward line is" in text
    assert "Your answer: “dy.mean(0)”. You average over the copies." in text
    row = next(row for row in shown.results.rows() if row.name == "q:broadcast_backward")
    assert RowView(row).explanation.splitlines()[0] == "Wrong (answers.toml)"
