"""What stands from an earlier run and what is graded again; and that whatever is wrong with OUT is one sentence.

Grading itself is played; test_resume.py has real grader processes.
"""

from __future__ import annotations

import csv
import os
import resource
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from played_grading import submitted, three_rows
from support import ROOT, sampled

from grader.gradebook import connection as connection_module
from grader.gradebook.database import Gradebook
from grader.gradebook.files import STUDENT_FILES, OutputError, lock_output
from grader.gradebook.grading.settings import Conditions, Settings
from grader.gradebook.grading.stop import stop_at_signals
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.results import IntakeRemark, SubmissionResult, read_results
from grader.sandbox.isolation.limits import Limits

LESSON = "04_cross_entropy"


CLASS = [submitted("ada"), submitted("Bo", source="1\n"), submitted("cy", source="2\n")]


@pytest.fixture
def small(course: Course) -> Lesson:
    return course.find("04")


# What is graded again ------------------------------------------------------------------------------------------------


def test_a_second_run_grades_only_what_is_new_or_changed(ran, tmp_path):
    assert ran(CLASS).plan == (3, 0)
    run = ran([CLASS[0], submitted("Bo", source="changed\n"), CLASS[2], submitted("di")])
    assert (run.plan, run.graded) == ((2, 2), ["Bo", "di"])
    assert [r.student for r in run.outcome.results] == ["ada", "Bo", "cy", "di"]
    with open(tmp_path / "out" / "grades.csv", newline="") as file:
        assert [row[:2] for row in csv.reader(file)] == [
            ["student", LESSON], ["ada", "3"], ["Bo", "3"], ["cy", "3"], ["di", "3"],
        ]  # fmt: skip


@sampled("lost", STUDENT_FILES, keep=1)
def test_a_report_that_was_deleted_or_is_older_than_the_book_is_made_again(ran, tmp_path, lost):
    ran(CLASS)
    (tmp_path / "out" / "ada" / lost).unlink()
    (tmp_path / "out" / "cy" / "results.json").write_text(three_rows(CLASS[2], points=0).to_text())
    assert ran(CLASS).graded == []
    assert (tmp_path / "out" / "ada" / lost).is_file()
    assert read_results(tmp_path / "out" / "cy").score == 3


def test_a_file_that_changed_while_it_was_graded_is_graded_again(ran):
    ran([submitted("ada")], make=lambda _: three_rows(submitted("ada", source="newer\n")))
    assert ran([submitted("ada")]).graded == ["ada"]
    assert ran([submitted("ada")]).graded == []


def test_the_order_of_results_does_not_depend_on_speed(ran, tmp_path):
    def files() -> list[bytes]:
        return [(tmp_path / "out" / name).read_bytes() for name in ("grades.csv", "index.html")]

    ran(CLASS)
    before = files()
    outcome, graded, _ = ran(CLASS, backwards=True, fresh=True)
    assert graded == ["cy", "Bo", "ada"]
    assert [r.student for r in outcome.results] == ["ada", "Bo", "cy"]
    assert files() == before


def test_the_key_holds_all_that_a_result_depends_on(small):
    settings = Settings(course="", lessons=[], seed=1, out="")
    under = Conditions.of([small], settings)
    part = LessonFiles(LESSON, {"backward.py": b"pass\n"})
    keys = [
        under.key(submitted("ada")),
        under.key(submitted("ada", source="pass \n")),
        under.key(replace(submitted("ada"), message="It is a link.")),
        under.key(replace(submitted("ada"), remarks=(IntakeRemark("newest", "The last of three counts."),))),
        *(
            under.key(replace(submitted("ada"), lessons={LESSON: replace(part, **change)}))
            for change in ({"shown": "a.py"}, {"message": "x"}, {"rejected": True})
        ),
        Conditions.of([small], replace(settings, limits=Limits(step_seconds=1))).key(submitted("ada")),
        Conditions.of([small], replace(settings, seed_given=True)).key(submitted("ada")),
        Conditions.of([small, Course(ROOT).find("03")], settings).key(submitted("ada")),
    ]
    assert len(set(keys)) == len(keys)
    assert Conditions.of([small], replace(settings, out="x", seed=9)).key(submitted("zo")) == keys[0]


# What is wrong with OUT ----------------------------------------------------------------------------------------------


def test_a_second_run_on_the_same_out_is_refused_and_the_first_goes_on(ran, tmp_path):
    refusals = []

    def during_another_run(submission: Submission) -> SubmissionResult:
        with pytest.raises(OutputError) as refused, lock_output(tmp_path / "out"):
            pass
        refusals.append(str(refused.value))
        return three_rows(submission)

    assert len(ran(CLASS, make=during_another_run).outcome.results) == 3
    assert refusals == 3 * [
        f"another `grade run` is writing to {tmp_path / 'out'}: wait until it has ended, or give another folder "
        "with -o."
    ]


def test_a_book_that_another_program_writes_to(ran, tmp_path, monkeypatch):
    monkeypatch.setattr(connection_module, "WAIT_SECONDS", 0.05)
    ran(CLASS[:2])
    other = sqlite3.connect(tmp_path / "out" / "gradebook.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OutputError, match=r"another program has .*gradebook.sqlite open for writing: close it, then"):
        ran(CLASS)
    other.execute("ROLLBACK")
    other.close()
    assert ran(CLASS).graded == ["cy"]


def damaged_header(book: Path) -> None:
    book.write_bytes(b"this is no database, however long it is\n" * 500)


def damaged_middle(book: Path) -> None:
    data = bytearray(book.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    book.write_bytes(data)


@pytest.mark.parametrize("damage", [damaged_header, damaged_middle])
def test_a_damaged_book_is_a_sentence_and_nothing_is_lost(ran, tmp_path, damage):
    ran(CLASS)
    book = tmp_path / "out" / "gradebook.sqlite"
    damage(book)
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    with pytest.raises(OutputError, match=r"gradebook.sqlite is damaged \(.*\); nothing was changed. Move it away"):
        ran(CLASS)
    after = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert after == before
    book.unlink()
    assert ran(CLASS).plan == (3, 0)


def test_a_book_of_another_format_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "book") as book:
        book.executescript("CREATE TABLE attempts (student TEXT); PRAGMA user_version=6")
    before = (tmp_path / "book").read_bytes()
    with pytest.raises(OutputError, match=r"has format 6, and .* reads format 7: give another folder with -o"):
        Gradebook(tmp_path / "book")
    assert (tmp_path / "book").read_bytes() == before


def test_an_out_that_cannot_be_a_folder(ran, tmp_path):
    (tmp_path / "out").touch()
    with pytest.raises(OutputError, match=r"out cannot be written \(.*\): give another folder with -o"):
        ran(CLASS)


@contextmanager
def no_room(most: int) -> Iterator[None]:
    """No file of this process may grow beyond `most` bytes: the nearest to a full disk that needs no rights."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_no_room_is_a_sentence_and_what_is_there_stays_whole(ran, tmp_path):
    ran(CLASS[:1])
    kept = {path: path.read_bytes() for path in (tmp_path / "out" / "ada").iterdir()}
    with (
        pytest.raises(OutputError, match=r"cannot be written .*: make room and run the same command again"),
        no_room(0),
    ):
        ran(CLASS)
    assert {path: path.read_bytes() for path in (tmp_path / "out" / "ada").iterdir()} == kept
    assert not list((tmp_path / "out").rglob("*.part"))
    assert ran(CLASS).graded == ["Bo", "cy"]


# Signals -------------------------------------------------------------------------------------------------------------


def test_a_signal_is_a_request_and_the_handler_before_it_comes_back():
    number = signal.SIGHUP
    before = signal.signal(number, signal.default_int_handler)
    with stop_at_signals() as stop:
        signal.raise_signal(number)
        signal.raise_signal(number)
        assert stop.is_requested
    assert signal.signal(number, before) is signal.default_int_handler


def test_sigterm_between_two_results_stops_with_all_that_is_finished_in_the_book(ran, tmp_path):
    def term(submission: Submission) -> SubmissionResult:
        if submission.student == "cy":
            signal.raise_signal(signal.SIGTERM)
        return three_rows(submission)

    outcome = ran(CLASS, make=term).outcome
    assert outcome.stopped and [r.student for r in outcome.results] == ["ada", "Bo"]
    assert (tmp_path / "out" / "grades.csv").read_text().count("\n") == 3
    outcome, _, plan = ran(CLASS)
    assert (outcome.stopped, plan) == (False, (1, 2))
