"""A student whom a roster has renamed keeps attempts and decisions."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from made_gradebook import CROSS, HANDED_IN, ROWS, grade, results_for, submission_of
from support import ROOT

from grader.gradebook.assignment.config import Assignment, parse_assignment
from grader.gradebook.attempt_table import StoredVerdict
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import remove_report, write_files
from grader.gradebook.grading.views import Views
from grader.gradebook.records import Decision
from grader.lesson.lesson import Course

BEST = f'title = "Homework 1"\nrows = ["{CROSS}"]\ncounts = "best"\n'


@pytest.fixture
def gradebook(tmp_path: Path) -> Gradebook:
    """`ada` had two points, then none; a roster calls her Ada Okafor, and she submits the second file again."""
    book = Gradebook(tmp_path / GRADEBOOK)
    for student, source, right in (("ada", "first", 2), ("ada", "second", 0), ("Ada Okafor", "second", 0)):
        submission = submission_of(student, source)
        book.add(StoredVerdict("", results_for(submission, right), None), submission)
    book.decisions.add([Decision(0, "ada", "comment", "TA", datetime.now(UTC), text="Well done.")])
    assert book.rename("Ada Okafor", ["ada"]) == ["ada"]
    return book


def test_decisions_follow_the_name(gradebook, tmp_path):
    (results,) = gradebook.current()
    assert results.student == "Ada Okafor"
    assert [each.text for each in results.comments or ()] == ["Well done."]
    assert gradebook.students() == ["Ada Okafor"] and gradebook.new_names() == {"ada": "Ada Okafor"}
    gradebook.close()
    shown = grade("history", "ada", "-o", tmp_path)
    assert shown.exit_code == 0 and shown.stdout.count("attempt") == 3 and "Well done." in shown.stdout


def test_the_best_attempt_may_have_come_under_the_earlier_name(gradebook):
    lessons = list(Course(ROOT).lessons.values())
    assignment = parse_assignment(BEST, Path("hw1.toml"), lessons)
    (last,) = gradebook.current(assignment=replace(assignment, counts="last"))
    (best,) = gradebook.current(assignment=assignment)
    assert [found.lessons[0].rows[0].status for found in (last, best)] == ["failed", "passed"]
    gradebook.set_assignment(assignment)
    assert gradebook.current_of("Ada Okafor") == best


def test_the_reports_under_the_old_name_go_also_those_of_single_lessons(tmp_path):
    for place in ("ada", "ada/03_makemore_steps", "bo", "bo/mine"):
        write_files(tmp_path / place, {"results.json": "{}", "report.html": ""})
    (tmp_path / "bo" / "mine" / "notes.txt").touch()
    for name in ("ada", "bo", "cy"):
        remove_report(tmp_path / name)
    left = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*"))
    assert left == ["bo", "bo/mine", "bo/mine/notes.txt"]


def test_the_file_of_the_attempt_that_counts_is_shown(gradebook, tmp_path):
    """Her first file counts: it came under the earlier name, and nothing in its verdict tells it from the others."""
    late = replace(submission_of("Ada Okafor", "fourth"), submitted=HANDED_IN + timedelta(days=1))
    gradebook.add(StoredVerdict("", results_for(late, 2), None), late)
    gradebook.set_assignment(Assignment("Homework 1", {CROSS: dict.fromkeys(ROWS, 1.0)}, due=HANDED_IN, counts="best"))
    publisher = Mock(**{"student_pages.return_value": {}, "new_drawings.return_value": {}})
    Views(tmp_path, gradebook, publisher, []).write_student("Ada Okafor")
    (_, sources), _ = publisher.student_pages.call_args
    assert sources == {CROSS: "first"}
