"""A person is their id, not their name: attempts and decisions stay with whom a roster or a platform has renamed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from made_gradebook import CROSS, HANDED_IN, ROWS, current, grade, grades_of, results_for, submission_of
from played_grading import PlayedGraders
from support import ROOT

import grader.gradebook.grading.run as run_module
from grader.gradebook.assignment.config import Assignment, parse_assignment
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.grading.views import Views
from grader.gradebook.records import Decision
from grader.gradebook.store import StoredVerdict
from grader.lesson.lesson import Course

BEST = f'title = "Homework 1"\nrows = ["{CROSS}"]\ncounts = "best"\n'


@pytest.fixture
def gradebook(tmp_path: Path) -> Gradebook:
    """`ada` had two points, then none; a roster calls her Ada Okafor, and she submits the second file again."""
    book = Gradebook(tmp_path / GRADEBOOK)
    for student, source, right in (("ada", "first", 2), ("ada", "second", 0), ("Ada Okafor", "second", 0)):
        submission = submission_of(student, source)
        book.add(StoredVerdict("", results_for(submission, right), None), submission)
    book.decide([Decision(0, "ada", "comment", "TA", datetime.now(UTC), text="Well done.")])
    assert book.has_submission("ada", submission.sha256) and not book.has_submission("bo", submission.sha256)
    book.rename({"ada": "Ada Okafor"})
    return book


def test_decisions_follow_the_name(gradebook, tmp_path):
    (results,) = gradebook.current()
    assert results.student == "Ada Okafor"
    assert [each.text for each in results.comments or ()] == ["Well done."]
    assert gradebook.students() == ["Ada Okafor"] and gradebook.people() == {"Ada Okafor": {"name ada"}}
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


def test_two_students_may_exchange_their_names(gradebook):
    gradebook.add(StoredVerdict("", results_for(submission_of("bo"), 1), None), submission_of("bo"))
    gradebook.mark_stale(["Ada Okafor", "bo"])
    gradebook.rename({"Ada Okafor": "bo", "bo": "Ada Okafor"})
    assert len(gradebook.current_of("bo").comments or ()) == 1 and gradebook.current_of("Ada Okafor").score == 1
    assert gradebook.stale() == ["Ada Okafor", "bo"]
    gradebook.rename({"bo": "Ada Smith"})
    assert gradebook.students() == ["Ada Okafor", "Ada Smith"] == gradebook.stale()


def test_a_decision_is_never_changed_or_deleted_but_for_the_student_s_name(gradebook, tmp_path):
    with closing(sqlite3.connect(tmp_path / GRADEBOOK)) as book:
        for act in ("DELETE FROM decisions", "UPDATE decisions SET points = 3", "DELETE FROM attempts"):
            with pytest.raises(sqlite3.DatabaseError, match="are never"):
                book.execute(act)


def test_free_late_days_are_a_person_s_in_every_gradebook_of_a_term(tmp_path):
    """Ada Okafor spent the only free day on homework 1; as Ada Smith she is late again."""
    text = (
        f'title = "HW"\nrows = ["{CROSS}"]\ndue = 2026-11-20T{{hour}}:00:00Z\n[late]\npercent_per_day = 10\n'
        'free_days = 1\nterm = ["hw1", "hw2"]\n'
    )
    points = {}
    for folder, hour, student in (("hw1", 10, "Ada Okafor"), ("hw2", 11, "Ada Smith")):
        (tmp_path / folder).mkdir()
        book, submission = Gradebook(tmp_path / folder / GRADEBOOK), submission_of(student)  # of 12:00
        lessons = list(Course(ROOT).lessons.values())
        book.set_assignment(parse_assignment(text.replace("{hour}", str(hour)), Path("hw.toml"), lessons))
        book.add(StoredVerdict("", results_for(submission, 2), None), submission)
        book.add_marks({student: ["id 17"]})
        points[folder] = book.current_of(student).percent, [each.percent for each in book.current()]
        book.close()
    assert points == {"hw1": (100, [100]), "hw2": (90, [90])}


# Runs with rosters ----------------------------------------------------------------------------------------------------

ROSTER = "id,sid,name,email\n101,S1,Ada Okafor,ada@x.edu\n102,S2,Bo Petrov,bo@x.edu\n103,S3,Cy Diaz,cy@x.edu\n"
MARRIED = ROSTER.replace("Ada Okafor", "Ada Smith")
NAMES = "name\nAda Okafor\nBo Petrov\nCy Diaz\n"
DUE = """title = "Homework"
rows = ["04"]
due = 2026-11-20T23:59:00
timezone = "Europe/Zurich"
late = {percent_per_day = 10}
"""
FILES = {
    "class/okaforada_101_9001_backward.py": "x = 1\n",
    "class/petrovbo_102_9002_backward.py": "x = 2\n",
    "class/diazcy_103_9003_backward.py": "x = 3\n",  # most numbers are ids, also after a change of name
    "hw.toml": DUE,
    "times.csv": "id,submitted\n101,2026-11-21 12:00\n102,2026-11-20 12:00\n103,2026-11-20 12:00\n",
}


class TermOfRuns:
    """Runs over one gradebook, each with a roster or without one. Every file gets one of two points, unread."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(run_module, "grade_all", PlayedGraders(1))
        monkeypatch.setattr("grader.commands.run.Nursery", Mock())
        monkeypatch.chdir(folder)
        self.folder = folder
        for name, text in FILES.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")

    def run(self, roster: str = "", *options: str, exit_code: int = 0) -> str:
        """What is printed on standard error."""
        (self.folder / "roster.csv").write_text(roster, encoding="utf-8")
        given = ("--roster", "roster.csv") if roster else ()
        command = ("run", "class", "--assignment", "hw.toml", "--course", ROOT, "--require", "none")
        done = grade(*command, *given, *options)
        assert done.exit_code == exit_code, done.stderr
        return done.stderr

    def late(self) -> dict[str, str]:
        """{student in grades.csv, but for Cy: days late}"""
        lines = grades_of(self.folder / "grades")
        return {student: line["late_days"] for student, line in lines.items() if "cy" not in student.lower()}


@pytest.fixture
def term(tmp_path, monkeypatch) -> TermOfRuns:
    return TermOfRuns(tmp_path, monkeypatch)


@pytest.mark.full
def test_a_new_name_in_the_roster(term):
    term.run(ROSTER, "--times", "times.csv")
    assert grade("comment", "Ada Okafor", "Well done.", "-o", term.folder / "grades").exit_code == 0
    assert "Ada Okafor is Ada Smith (" in term.run(MARRIED)
    assert term.late() == {"Ada Smith": "1", "Bo Petrov": "0"}
    found = current(term.folder / "grades")
    assert [each.text for each in found["Ada Smith"].comments or ()] == ["Well done."]
    assert not (term.folder / "grades" / "Ada Okafor").exists()


def test_a_run_without_a_roster_uses_the_remembered_one_and_an_attempt_keeps_its_time(term):
    term.run(ROSTER, "--times", "times.csv")
    said = term.run()
    assert "grade: roster.csv of an earlier run: 3 students." in said
    assert "0 of 3 are new or changed" in said
    assert term.late() == {"Ada Okafor": "1", "Bo Petrov": "0"}


def test_a_roster_repairs_what_a_run_without_it_did(term):
    term.run()
    assert term.late() == {"okaforada": "unknown", "petrovbo": "unknown"}
    assert "okaforada is Ada Okafor (account Canvas 101)" in term.run(ROSTER, "--times", "times.csv")
    assert term.late() == {"Ada Okafor": "1", "Bo Petrov": "0"}


@pytest.mark.full
def test_where_only_names_are_left_the_run_asks_and_the_answer_joins(term):
    for each in (term.folder / "class").iterdir():  # of no platform, so nothing but its name says whose it is
        each.rename(each.with_name({"o": "Ada Okafor.py", "p": "Bo Petrov.py", "d": "Cy Diaz.py"}[each.name[0]]))
    term.run(NAMES)
    (term.folder / "class" / "Ada Okafor.py").rename(term.folder / "class" / "Ada Smith.py")
    said = term.run(NAMES.replace("Ada Okafor", "Ada Smith"))
    assert (
        "the gradebook has `Ada Okafor`, who is not in the roster: is this Ada Smith? If so, write `Ada "
        "Okafor` in that line, in the roster's column `submission`, and run again with --roster."
    ) in said
    assert set(term.late()) == {"Ada Okafor", "Ada Smith", "Bo Petrov"}
    term.run("name,submission\nAda Smith,Ada Okafor\nBo Petrov,\nCy Diaz,\n")
    assert set(term.late()) == {"Ada Smith", "Bo Petrov"}


def test_a_name_that_is_now_another_person_s(term):
    term.run(ROSTER)
    assert "Ada Okafor is Ada Smith (" in term.run(MARRIED + "104,S4,Ada Okafor,other@x.edu\n")
    assert {"Ada Smith", "Ada Okafor", "Bo Petrov"} <= set(term.late())
    assert not (term.folder / "grades" / "Ada Okafor").exists()


def test_the_file_of_the_attempt_that_counts_is_shown(gradebook, tmp_path):
    """Her first file counts: it came under the earlier name, and nothing in its verdict tells it from the others."""
    late = replace(submission_of("Ada Okafor", "fourth"), submitted=HANDED_IN + timedelta(days=1))
    gradebook.add(StoredVerdict("", results_for(late, 2), None), late)
    gradebook.set_assignment(Assignment("Homework 1", {CROSS: dict.fromkeys(ROWS, 1.0)}, due=HANDED_IN, counts="best"))
    publisher = Mock(**{"student_pages.return_value": {}})
    Views(tmp_path, gradebook, publisher).write_student("Ada Okafor")
    (_, sources), _ = publisher.student_pages.call_args
    assert sources == {CROSS: "first"}
