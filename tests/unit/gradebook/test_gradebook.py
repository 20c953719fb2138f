"""What stands from an earlier run and what is graded again; and that whatever is wrong with OUT is one sentence.

Grading itself is played by `play`, which writes what a grader process writes; test_resume.py has real ones.
"""

from __future__ import annotations

import csv
import os
import random
import resource
import signal
import sqlite3
import tracemalloc
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_results import lesson as lesson_of
from made_results import results as results_by_hand
from made_results import row
from support import ROOT, sampled

from grader.gradebook import connection as connection_module
from grader.gradebook.class_results import ClassResults
from grader.gradebook.database import Gradebook
from grader.gradebook.files import STUDENT_FILES, OutputError, lock_output, write_pages
from grader.gradebook.grading import run as run_module
from grader.gradebook.grading.grader_processes import Reply
from grader.gradebook.grading.outcome import RunOutcome
from grader.gradebook.grading.run import grade_run
from grader.gradebook.grading.settings import Conditions, Settings
from grader.gradebook.grading.stop import stop_at_signals
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.publish.report.pages import Reporter
from grader.results import IntakeRemark, SubmissionResult, read_results

LESSON = "04_cross_entropy"


def submitted(student: str, source: bytes = b"pass\n") -> Submission:
    return Submission(student, Path(student), {LESSON: LessonFiles(LESSON, {"backward.py": source})})


CLASS = [submitted("ada"), submitted("Bo", b"1\n"), submitted("cy", b"2\n")]


def results_of(submission: Submission, **changed: Any) -> SubmissionResult:
    row = {"name": "dlogits", "status": "passed", "points": 3, "max_points": 3, "mistake": None, "message": None}
    lesson = {"name": LESSON, "score": 3, "max_score": 3, "status": "graded", "message": None, "gradients": [row]}
    data = {
        "student": submission.student,
        "submission_sha256": submission.sha256,
        "score": 3,
        "max_score": 3,
        "status": "graded",
        "message": None,
        "isolation": "strong",
        "seconds": 0.1,
        "environment": {"torch": "2", "python": "3", "cpu_capability": "AVX2", "platform": "here"},
        "lessons": [lesson],
    }
    return SubmissionResult.from_json(data | changed)


class Watching:
    """A grader.gradebook.grading.graded.RunListener that remembers."""

    def __init__(self) -> None:
        self.plan: tuple[int, int] | None = None
        self.graded: list[str] = []

    def planned(self, due: int, kept: int) -> None:
        self.plan = (due, kept)

    def started(self, student: str) -> None:
        pass

    def result(self, results: SubmissionResult) -> None:
        self.graded.append(results.student)


Play = Callable[..., tuple[RunOutcome, Watching]]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: Lesson) -> Play:
    """play(submissions, replies={student: reply}, ...): a run on the same OUT each time, in which grading is played."""

    def run(
        submissions: Sequence[Submission],
        replies: dict[str, Reply] | None = None,
        backwards: bool = False,
        fresh: bool = False,
        meanwhile: Callable[[str], None] = lambda student: None,
        **settings: Any,
    ) -> tuple[RunOutcome, Watching]:
        def grade_all(
            due: Iterable[Submission], settings: Settings, jobs: int, on_start: Callable[[str], None], *_: object
        ) -> Generator[tuple[Submission, Reply], None, None]:
            for submission in reversed(list(due)) if backwards else due:
                meanwhile(submission.student)
                reply = (replies or {}).get(submission.student) or Reply(results_of(submission))
                yield submission, reply

        monkeypatch.setattr(run_module, "grade_all", grade_all)
        chosen = Settings(
            **{"course": "", "program": "", "lessons": [], "seed": 1, "out": str(tmp_path / "out")} | settings
        )
        watching = Watching()
        return grade_run(submissions, [small], chosen, 2, watching, Reporter([small]), fresh=fresh), watching

    return run


@pytest.fixture(scope="module")
def small() -> Lesson:
    return Course(ROOT).find("04")


# What is graded again ------------------------------------------------------------------------------------------------


def test_a_second_run_grades_only_what_is_new_or_changed(play, tmp_path):
    assert play(CLASS)[1].plan == (3, 0)
    outcome, watching = play([CLASS[0], submitted("Bo", b"changed\n"), CLASS[2], submitted("di")])
    assert (watching.plan, watching.graded, outcome.kept) == ((2, 2), ["Bo", "di"], 2)
    assert [r.student for r in outcome.results] == ["ada", "Bo", "cy", "di"]
    with open(tmp_path / "out" / "grades.csv", newline="") as file:
        assert [row[:2] for row in csv.reader(file)] == [
            ["student", LESSON], ["ada", "3"], ["Bo", "3"], ["cy", "3"], ["di", "3"],
        ]  # fmt: skip


@sampled("lost", STUDENT_FILES, keep=1)
def test_a_report_that_was_deleted_or_is_older_than_the_book_is_made_again(play, tmp_path, lost):
    play(CLASS)
    (tmp_path / "out" / "ada" / lost).unlink()
    (tmp_path / "out" / "cy" / "results.json").write_text(results_of(CLASS[2], score=0).to_text())
    assert play(CLASS)[1].graded == []
    assert (tmp_path / "out" / "ada" / lost).is_file()
    assert read_results(tmp_path / "out" / "cy").score == results_of(CLASS[2]).score


def test_a_file_that_changed_while_it_was_graded_is_graded_again(play):
    play([submitted("ada")], {"ada": Reply(results_of(submitted("ada", b"newer\n")))})
    assert play([submitted("ada")])[1].graded == ["ada"]
    assert play([submitted("ada")])[1].graded == []


def test_the_order_of_results_does_not_depend_on_speed(play, tmp_path):
    def files() -> list[bytes]:
        return [(tmp_path / "out" / name).read_bytes() for name in ("grades.csv", "index.html")]

    play(CLASS)
    before = files()
    outcome, watching = play(CLASS, backwards=True, fresh=True)
    assert watching.graded == ["cy", "Bo", "ada"]
    assert [r.student for r in outcome.results] == ["ada", "Bo", "cy"]
    assert files() == before


def test_the_key_holds_all_that_a_result_depends_on(small):
    settings = Settings(course="", lessons=[], seed=1, out="", program="")
    under = Conditions.of([small], settings)
    part = LessonFiles(LESSON, {"backward.py": b"pass\n"})
    keys = [
        under.key(submitted("ada")),
        under.key(submitted("ada", b"pass \n")),
        under.key(replace(submitted("ada"), message="It is a link.")),
        under.key(replace(submitted("ada"), remarks=(IntakeRemark("newest", "The last of three counts."),))),
        *(
            under.key(replace(submitted("ada"), lessons={LESSON: replace(part, **change)}))
            for change in ({"shown": "a.py"}, {"message": "x"}, {"rejected": True})
        ),
        Conditions.of([small], replace(settings, limits={"step_seconds": 1})).key(submitted("ada")),
        Conditions.of([small], replace(settings, seed_given=True)).key(submitted("ada")),
        Conditions.of([small, Course(ROOT).find("03")], settings).key(submitted("ada")),
    ]
    assert len(set(keys)) == len(keys)
    assert Conditions.of([small], replace(settings, out="x", seed=9)).key(submitted("zo")) == keys[0]


@pytest.mark.slow
def test_ten_thousand_results_and_their_page_take_little_memory(tmp_path):
    """As they come from graders: each parsed from JSON of its own, two in five with one to three mistakes."""
    lesson = Course(ROOT).find("03")
    generator = random.Random(3)

    def results(number: int) -> SubmissionResult:
        rows = [row(item.name, file="03_makemore_steps/backward.py") for item in lesson.items]
        for place in generator.sample(range(len(rows)), generator.randrange(1, 4) if generator.random() < 0.4 else 0):
            kind, name = f"mistake_{generator.randrange(6)}", rows[place].name
            mistake = {"id": kind, "message": f"A sentence about {kind} of {name}."}
            rows[place] = row(name, "failed", mistake=mistake, message=mistake["message"])
        part = lesson_of(lesson.name, *rows, seconds=number / 7)
        return SubmissionResult.from_text(results_by_hand(f"student_{number:05}", part, seconds=number / 7).to_text())

    kept = ClassResults()
    tracemalloc.start()
    for number in range(10_000):
        kept.add(results(number))
    data, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    write_pages(tmp_path, Reporter([lesson]).class_pages(kept, [lesson]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"10,000 results: {data / 2**20:.1f} MiB; while their page is written: {peak / 2**20:.1f} MiB")
    assert peak < 50 << 20


# What is wrong with OUT ----------------------------------------------------------------------------------------------


def test_a_second_run_on_the_same_out_is_refused_and_the_first_goes_on(play, tmp_path):
    refusals = []

    def another_run(student: str) -> None:
        with pytest.raises(OutputError) as refused, lock_output(tmp_path / "out"):
            pass
        refusals.append(str(refused.value))

    outcome, _ = play(CLASS, meanwhile=another_run)
    assert len(outcome.results) == 3
    assert refusals == 3 * [
        f"another `grade run` is writing to {tmp_path / 'out'}: wait until it has ended, or give another folder "
        "with -o."
    ]


def test_a_book_that_another_program_writes_to(play, tmp_path, monkeypatch):
    monkeypatch.setattr(connection_module, "WAIT_SECONDS", 0.05)
    play(CLASS[:2])
    other = sqlite3.connect(tmp_path / "out" / "gradebook.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OutputError, match=r"another program has .*gradebook.sqlite open for writing: close it, then"):
        play(CLASS)
    other.execute("ROLLBACK")
    other.close()
    assert play(CLASS)[1].graded == ["cy"]


def damaged_header(book: Path) -> None:
    book.write_bytes(b"this is no database, however long it is\n" * 500)


def damaged_middle(book: Path) -> None:
    data = bytearray(book.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    book.write_bytes(data)


@pytest.mark.parametrize("damage", [damaged_header, damaged_middle])
def test_a_damaged_book_is_a_sentence_and_nothing_is_lost(play, tmp_path, damage):
    play(CLASS)
    book = tmp_path / "out" / "gradebook.sqlite"
    damage(book)
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    with pytest.raises(OutputError, match=r"gradebook.sqlite is damaged \(.*\); nothing was changed. Move it away"):
        play(CLASS)
    after = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert after == before
    book.unlink()
    assert play(CLASS)[1].plan == (3, 0)


def test_a_book_of_another_format_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "book") as book:
        book.executescript("CREATE TABLE attempts (student TEXT); PRAGMA user_version=6")
    before = (tmp_path / "book").read_bytes()
    with pytest.raises(OutputError, match=r"has format 6, and .* reads format 7: give another folder with -o"):
        Gradebook(tmp_path / "book")
    assert (tmp_path / "book").read_bytes() == before


def test_an_out_that_cannot_be_a_folder(play, tmp_path):
    (tmp_path / "out").touch()
    with pytest.raises(OutputError, match=r"out cannot be written \(.*\): give another folder with -o"):
        play(CLASS)


@contextmanager
def no_room(most: int) -> Iterator[None]:
    """No file of this process may grow beyond `most` bytes: the nearest to a full disk that needs no rights."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_no_room_is_a_sentence_and_what_is_there_stays_whole(play, tmp_path):
    play(CLASS[:1])
    kept = {path: path.read_bytes() for path in (tmp_path / "out" / "ada").iterdir()}
    with (
        pytest.raises(OutputError, match=r"cannot be written .*: make room and run the same command again"),
        no_room(0),
    ):
        play(CLASS)
    assert {path: path.read_bytes() for path in (tmp_path / "out" / "ada").iterdir()} == kept
    assert not list((tmp_path / "out").rglob("*.part"))
    assert play(CLASS)[1].graded == ["Bo", "cy"]


# Signals -------------------------------------------------------------------------------------------------------------


def endless(seen: list[str]) -> Generator[int, None, None]:
    """Like grade_all: what had finished comes after the interruption, then the interruption."""
    try:
        for number in range(1000):
            seen.append("making")
            if number == 2:
                signal.raise_signal(signal.SIGTERM)
            yield number
    except KeyboardInterrupt:
        yield -1
        raise


def test_a_signal_while_a_result_is_written_waits_until_it_is():
    got, number = list[int](), signal.SIGHUP
    before = signal.signal(number, signal.default_int_handler)
    with stop_at_signals() as stop, pytest.raises(KeyboardInterrupt):
        for item in stop.each_item(endless([])):
            if item == 0:
                signal.raise_signal(number)
                signal.raise_signal(number)
            got.append(item)
    assert got == [0, -1]
    signal.signal(number, before)


def test_sigterm_between_two_results_stops_with_all_that_is_finished_in_the_book(play, tmp_path):
    def term(student: str) -> None:
        if student == "cy":
            signal.raise_signal(signal.SIGTERM)

    outcome, _ = play(CLASS, meanwhile=term)
    assert outcome.stopped and [r.student for r in outcome.results] == ["ada", "Bo"]
    assert (tmp_path / "out" / "grades.csv").read_text().count("\n") == 3
    outcome, watching = play(CLASS)
    assert (outcome.stopped, watching.plan) == (False, (1, 2))
