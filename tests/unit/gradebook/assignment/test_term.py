"""Free late days that the gradebooks of a term share."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from made_attempts import DAY, DUE, homework, lesson_with
from made_gradebook import grade, grades_of
from made_results import results
from support import ROOT

from grader.errors import UserError
from grader.gradebook.assignment.config import LatePolicy
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import lock_output
from grader.gradebook.store import StoredVerdict
from grader.intake.submissions.submission import Submission
from grader.results import read_results

ALL = ("hw1", "hw2", "hw3")


def fill(folder, late, cost, start=timedelta(), free_days=1, term=ALL, name="Ada", counts="last"):
    """A gradebook in which Ada's work, all right, came so late."""
    folder.mkdir()
    gradebook = Gradebook(folder / GRADEBOOK)
    policy = LatePolicy(percent_per_day=cost, free_days=free_days, term=term)
    gradebook.set_assignment(homework({"03_a": 1}, 100, late=policy, due=DUE + start, counts=counts, text=folder.name))
    submission = Submission(name, folder / "ada", {}, submitted=DUE + start + late)
    gradebook.add(StoredVerdict("", results(name, lesson_with("03_a", 1)), None), submission)
    gradebook.describe({"course": str(ROOT)})
    return gradebook


def score(gradebook, student="Ada"):
    (only,) = gradebook.current()
    assert only == gradebook.current_of(student)
    return only.score


def test_a_day_is_spent_once_on_the_earlier_due_date(tmp_path):
    first = fill(tmp_path / "hw1", DAY, 10)
    assert score(first) == 100
    second = fill(tmp_path / "hw2", DAY, 40, 30 * DAY)
    first.close()
    first = Gradebook(tmp_path / "hw1" / GRADEBOOK)
    assert (score(first), score(second)) == (100, 60)
    first.close(), second.close()


@pytest.mark.parametrize("differing", [{"free_days": 2}, {"term": ("hw1", "hw2")}])
def test_files_that_do_not_agree_are_refused(tmp_path, differing):
    first, second = fill(tmp_path / "hw1", DAY, 10), fill(tmp_path / "hw2", DAY, 10, **differing)
    with pytest.raises(UserError, match="the assignments of hw1 and hw2 do not share the same free late days"):
        score(first)
    first.close(), second.close()


def test_a_term_of_one_is_as_without(tmp_path):
    alone = fill(tmp_path / "hw1", DAY, 10, term=())
    assert score(alone) == 100
    alone.set_assignment(replace(alone.assignment(), late=LatePolicy(percent_per_day=10)))
    assert score(alone) == 90
    alone.close()


@pytest.mark.full
def test_a_decision_about_one_assignment_rewrites_the_others_pages(tmp_path, monkeypatch):
    """Ada's only day is used for hw1; excused from hw1, she has it for hw2."""
    monkeypatch.chdir(tmp_path)
    for name, cost, start in (("hw1", 10, timedelta()), ("hw2", 40, 30 * DAY)):
        fill(tmp_path / name, DAY, cost, start, term=("hw1", "hw2")).close()
    for name in ("hw1", "hw2"):  # a first command writes the pages
        assert grade("comment", "Ada", "x", "-o", name).exit_code == 0

    def shown():
        return read_results(tmp_path / "hw2" / "Ada").score, float(grades_of(tmp_path / "hw2")["Ada"]["total"])

    assert shown() == (60, 60)
    done = grade("excuse", "Ada", "--because", "Ill", "-o", "hw1")
    assert done.exit_code == 0 and "hw2: 1 result changes with the term's free late days." in done.stderr
    assert shown() == (100, 100)
    assert grade("undo", "2", "--because", "No", "-o", "hw1").exit_code == 0
    assert shown() == (60, 60)
    with lock_output(tmp_path / "hw2"):
        done = grade("excuse", "Ada", "--because", "Ill", "-o", "hw1")
    assert done.exit_code == 0 and "hw2 may show free late days that are now used elsewhere" in done.stderr


def test_a_renamed_student_s_earlier_attempts_spend_no_day_in_another_gradebook(tmp_path):
    """Her first attempt at hw1 was punctual, under the name that a roster has replaced."""
    first = fill(tmp_path / "hw1", DAY, 10, name="Ada Okafor", counts="best")
    punctual = Submission("ada", tmp_path / "ada", {}, submitted=DUE - DAY)
    first.add(StoredVerdict("", results("ada", lesson_with("03_a", 1), submission_sha256="1" * 64), None), punctual)
    again = replace(punctual, student="Ada Okafor", submitted=DUE + DAY)
    first.add(StoredVerdict("", results("Ada Okafor", lesson_with("03_a", 1), submission_sha256="2" * 64), None), again)
    first.rename({"ada": "Ada Okafor"})
    second = fill(tmp_path / "hw2", DAY, 10, 30 * DAY, name="Ada Okafor")
    assert (score(first, "Ada Okafor"), score(second, "Ada Okafor")) == (100, 100)
    first.close(), second.close()
