"""Whatever a student returns: the row is the student's, and tells nothing of the hidden suite."""

from __future__ import annotations

import itertools
import json
import os
import time
import warnings
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from support import CORPUS, ROOT, rows_of, sampled, without_seconds

from bench.attacks import values as fuzz
from bench.attacks.corpus import Attack, attack_of
from bench.members import members_of
from grader.authoring.verify import submission_of
from grader.comparison.trees import agreement
from grader.errors import Interrupted
from grader.gradebook.grading import grader_processes
from grader.gradebook.grading.grader_processes import GraderProcess
from grader.gradebook.grading.one_file import SEARCH_STOPPED
from grader.gradebook.grading.session import Session
from grader.gradebook.grading.settings import Settings
from grader.gradebook.grading.trials import FileTrials
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.report.pages import Reporter
from grader.sandbox.isolation.limits import Limits
from grader.verdict.explain.attempts import attempt, check_interrupt, explaining
from grader.verdict.judge.checks import Check, CheckFailed, ReferenceFailed, run_check

COURSE = Course(ROOT)
ATTACKS = [
    attack_of(each, "hostile return values")
    for path in sorted((CORPUS / "hostile_checks").glob("*.py"))
    for each in members_of(path)
]
LIMITS = Limits(import_seconds=2.0, step_seconds=1.0, total_seconds=6.0)


# Values ---------------------------------------------------------------------------------------------------------------


SLOW = [pytest.param(number, marks=pytest.mark.slow) for number in ("04", "06", "07", "08", "10", "11")]


@sampled("number", ["01", "05", "09", *SLOW], keep=1)
@pytest.mark.parametrize("values", [50, pytest.param(150, marks=pytest.mark.slow)])
def test_no_value_is_a_fault_or_a_pass(number, values):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tallies = fuzz.fuzz([COURSE.find(number)], values=values, seed=7)
    assert [problem for tally in tallies for problem in tally.problems] == []
    assert sum(sum(tally.statuses.values()) for tally in tallies) == values


def test_the_fuzz_sees_what_is_wrong():
    """A value that is right, a message with a hidden line, a long one, half a surrogate pair: each is a problem."""
    rows = fuzz.Rows(COURSE.find("10"), 5)
    line = rows.hidden[3]
    assert fuzz.wrong_in(f"it says {line} there", rows.hidden) == [f"the hidden line {line!r} is told"]
    assert fuzz.wrong_in("x" * 20_000, rows.hidden) == ["a message of 20000 characters"]
    assert fuzz.wrong_in("\ud800", rows.hidden) == ["a message that is no UTF-8"]
    item = rows.lesson.item_for("closed_share")
    tally = fuzz.Tally("10", "closed_share")
    rows.judge = lambda *_: ("passed", "")  # type: ignore[method-assign]
    rows.try_value(item, "1", {}, tally)
    assert tally.problems == ["passed with 1"]


# Files, through workers -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sessions(warm_zygotes):
    """sessions(lesson's number): a warm session, and what a right submission gets before any other is graded."""
    opened: dict[str, tuple[Session, dict[str, Any]]] = {}

    def of(number: str) -> tuple[Session, dict[str, Any]]:
        if number not in opened:
            session = Session([COURSE.find(number)], 5, LIMITS)
            opened[number] = session, without_seconds(right(session))
        return opened[number]

    yield of
    for session, _ in opened.values():
        session.close()


def right(session):
    lesson = session.lessons[0]
    solution = (lesson.solution / BACKWARD_FILE).read_text(encoding="utf-8")
    return session.grade(submission_of(lesson, "right", solution)).results.to_json()


SLOW_TO_EXPLAIN = {"10", "15"}
"""The first wrong submission of these lessons takes ten seconds: what each known mistake gives is found out once."""


@pytest.mark.full
@sampled(
    "attack",
    [pytest.param(each, marks=[pytest.mark.slow] if each.lesson in SLOW_TO_EXPLAIN else []) for each in ATTACKS],
    keep=1,
    ids=[f"{each.lesson}-{each.name}" for each in ATTACKS],
)
def test_hostile_values(attack: Attack, sessions):
    session, before = sessions(attack.lesson)
    lesson = session.lessons[0]
    graded = session.grade(submission_of(lesson, "right", attack.files[BACKWARD_FILE].decode()))
    page = Reporter([lesson]).student_pages(graded, {lesson.name: attack.files[BACKWARD_FILE].decode()})["report.html"]
    rows = rows_of(graded.results)
    expected = {name: attack.header.get(f"rows of {name}", "missing") for name in rows}
    assert {name: row["status"] for name, row in rows.items()} == expected
    hidden = fuzz.hidden_lines(lesson)
    text = json.dumps(graded.results.to_json(), allow_nan=False) + page
    assert [line for line in hidden if line in text] == []
    assert [problem for row in rows.values() for problem in fuzz.wrong_in(row["message"] or "", hidden)] == []
    assert without_seconds(right(session)) == before


# Comparing ------------------------------------------------------------------------------------------------------------


def test_what_is_no_number_does_not_equal_zero():
    for found in (float("nan"), torch.tensor(float("nan")), 10**400, -(10**400), 1e308):
        assert not agreement(found, 0.0).holds
    assert not agreement([10**400], [0.0]).holds


# Faults ---------------------------------------------------------------------------------------------------------------


def check_of(number: str, row: str, value):
    rows = fuzz.Rows(COURSE.find(number), 5)
    student = fuzz.Hostile(value)
    return Check(rows.lesson, rows.lesson.item_for(row), student, fuzz.RemoteTarget(student), rows._book)


def test_an_error_after_an_answer_is_the_students():
    check = check_of("10", "closed_share", 0.5)
    failed = run_check(lambda check: 1 / (check.on.call("closed_share", torch.ones(2)) - 0.5), check)
    assert failed is not None and failed.status == "shape"
    assert str(failed) == "`closed_share` returned 0.5, which is not what was expected."


def test_an_error_on_the_reference_is_ours():
    check = check_of("10", "closed_share", 0.5)
    with pytest.raises(ZeroDivisionError):
        run_check(lambda check: check.on.call("closed_share", torch.ones(2)) and 1 / 0, check)
    with pytest.raises(ReferenceFailed, match="raises ZeroDivisionError on the course's own functions"):
        check.agrees(lambda on, generator: 1 / 0)


def test_what_was_expected_is_named():
    check = check_of("10", "closed_share", "a text")
    with pytest.raises(CheckFailed, match=r"^`closed_share` returned 'a text'; expected \d"):
        check.agrees(lambda on, generator: on.call("closed_share", torch.tensor([0.5, 1.0])) - 1)


# Explanations ---------------------------------------------------------------------------------------------------------


def test_a_mistake_is_named_however_slow_the_machine_is(sessions, monkeypatch):
    """On this machine an hour of processor time passes between two looks at the clock."""
    session, _ = sessions("01")
    lesson = session.lessons[0]
    mistake = lesson.mistakes[0]
    hours = itertools.count(0, 3600)
    for clock in ("process_time", "thread_time"):  # no race: a played clock
        monkeypatch.setattr(time, clock, lambda: float(next(hours)))
    graded = session.grade(submission_of(lesson, "wrong", mistake.applied_to(lesson.answer_key)))
    assert rows_of(graded.results)[mistake.gradient]["mistake"]["id"] == mistake.id


def test_a_search_that_is_stopped_by_its_guard_says_so(sessions, monkeypatch):
    session, _ = sessions("01")
    lesson = session.lessons[0]
    monkeypatch.setattr(FileTrials, "ran_out", True)
    graded = session.grade(submission_of(lesson, "wrong", lesson.mistakes[0].applied_to(lesson.answer_key)))
    assert graded.results.lessons[0].message == SEARCH_STOPPED.format(6)


def submission_with(interrupt: int | None) -> Any:
    return SimpleNamespace(terms=None, interrupt=interrupt)


def test_an_error_in_an_explanation_changes_no_verdict():
    with explaining(submission_with(None)):
        assert attempt(lambda: 1 / 0) is None
    with pytest.raises(ZeroDivisionError):
        attempt(lambda: 1 / 0)


def test_a_key_ends_the_search_for_an_explanation():
    reading, writing = os.pipe()
    try:
        with explaining(submission_with(reading)):
            assert attempt(lambda: "said") == "said"
            os.write(writing, b"q")
            with explaining(submission_with(None)):
                check_interrupt()
            with pytest.raises(Interrupted):
                attempt(lambda: "said")
            with pytest.raises(Interrupted):
                attempt(check_interrupt)
        check_interrupt()
    finally:
        os.close(reading)
        os.close(writing)


def graded_by(grader: GraderProcess, submission: Submission) -> dict[str, Any]:
    results = grader.grade(submission).results
    assert results is not None
    return results.to_json()


STALLING = """
import sys, time
from grader.gradebook.grading import server
whole = server.Session.grade
def grade(session, submission):
    while submission.student == "stalled" and submission.message is None:
        time.sleep(1)  # no race: without end, until its process is killed
    return whole(session, submission)
server.Session.grade = grade
from grader.gradebook.grading.server import main
main(*sys.argv[1:])
"""


@pytest.mark.full
def test_a_grader_that_takes_too_long_is_ended_and_a_new_one_grades_on(tmp_path, monkeypatch):
    monkeypatch.setattr(grader_processes, "START_GRADER_CODE", STALLING)  # stands for a loop of ours without a bound
    lesson = COURSE.find("04")
    monkeypatch.setattr(grader_processes, "seconds_for", lambda each, _: 1.0 if each.student == "stalled" else 600.0)
    limits = Limits(import_seconds=1.0, step_seconds=1.0, total_seconds=2.0)
    grader = GraderProcess(Settings(str(ROOT), [lesson.name], 5, str(tmp_path), limits=limits))
    try:
        solution = (lesson.solution / BACKWARD_FILE).read_text(encoding="utf-8")
        first = graded_by(grader, submission_of(lesson, "first", solution))
        assert first["score"] == first["max_score"]
        stalled = submission_of(lesson, "stalled", solution)
        results = graded_by(grader, stalled)
        assert (results["status"], results["score"], results["submission_sha256"]) == ("rejected", 0, stalled.sha256)
        assert results["message"].startswith(
            "Grading was stopped after 1 seconds, the most that a submission may take."
        )
        assert [each["status"] for each in results["lessons"]] == ["rejected"]
        assert without_seconds(graded_by(grader, submission_of(lesson, "first", solution))) == without_seconds(first)
    finally:
        grader.end()
