"""`grade run --assignment`: what counts, what the gradebook keeps, and what is refused before anything is written."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_gradebook import grades_of
from shared_nursery import run_grade
from support import solution_of

from grader.commands.grade import main
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.publish.report.classroom import NO_TIME

HOMEWORK = """
title = "Homework 2"
rows = [{rows = "04.dlogits", points = 8}, {rows = "05.dhprebn", points = 2}]
due = 2026-11-20T23:59:00
timezone = "Europe/Zurich"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory, course) -> Path:
    """A folder with submissions of lesson 04 by Ada (right) and Bo (empty), hw2.toml and extensions.csv."""
    folder = tmp_path_factory.mktemp("assignment")
    lesson = course.find("04")
    file = folder / "class" / "Ada" / lesson.name / "backward.py"
    file.parent.mkdir(parents=True)
    file.write_text(solution_of(lesson), encoding="utf-8")
    (folder / "class" / "Bo").mkdir()
    (folder / "hw2.toml").write_text(HOMEWORK, encoding="utf-8")
    (folder / "extensions.csv").write_text(
        "student,until,excused,because\nada,2026-11-25,,ill\nBo,,yes,left\nZoe,,yes,\n", encoding="utf-8"
    )
    return folder


@pytest.fixture(scope="module")
def first(place):
    return run_grade("class", "--assignment", "hw2.toml", "--extensions", "extensions.csv", cwd=place)


@pytest.mark.full
def test_a_run_with_an_assignment(place, first):
    """A folder has no times of submission, and Ada's work was due: she has no score until the times are known."""
    assert (first.returncode, "Since the last run" in first.stdout) == (0, False), first.stderr
    ada, bo = grades_of(place / "grades").values()
    assert (ada["04_cross_entropy"], ada["05_batch_norm"], ada["total"], ada["max"]) == ("", "0", "", "10")
    assert (
        "1 without a score, because nothing says when they submitted: Ada. Give `grade run` the times" in first.stderr
    )
    results = json.loads((place / "grades" / "Ada" / "results.json").read_text(encoding="utf-8"))
    assert (results["status"], results["score"]) == ("unclear", 0)
    page = (place / "grades" / "index.html").read_text(encoding="utf-8")
    assert NO_TIME in page
    assert (ada["assignment"], ada["due"], ada["late_days"]) == ("Homework 2", "2026-11-25T23:59:00+01:00", "unknown")
    assert "Zoe" in first.stderr and "line 4" in first.stderr
    assert (bo["total"], bo["excused"].endswith("left")) == ("", True)
    assert "Homework 2. Due on Friday 20 November" in (place / "grades" / "Ada" / "report.md").read_text()


@pytest.mark.full
def test_the_gradebook_keeps_it_and_an_edited_file_grades_nothing_again(place, first):
    (place / "times.csv").write_text("name;submitted\nada;20.11.2026 01:00\n", encoding="utf-8")
    timed = run_grade("class", "--times", "times.csv", cwd=place)
    assert (timed.returncode, grades_of(place / "grades")["Ada"]["total"]) == (0, "8"), timed.stderr
    again = run_grade("class", "--extensions", "extensions.csv", cwd=place)
    assert (again.returncode, "0 of 2 are new or changed" in again.stderr) == (0, True), again.stderr
    with_one_decision_each = Gradebook(place / "grades" / GRADEBOOK)
    assert len(with_one_decision_each.decisions()) == 2
    with_one_decision_each.close()
    (place / "hw2.toml").write_text(HOMEWORK.replace("points = 8", "points = 98"), encoding="utf-8")
    edited = run_grade("class", "--assignment", "hw2.toml", cwd=place)
    assert (edited.returncode, "0 of 2 are new or changed" in edited.stderr) == (0, True), edited.stderr
    assert "Homework 2, or a lesson in it, was edited: 1 would have other points (1 up, 0 down): Ada." in edited.stderr
    assert edited.stdout.endswith("\nSince the last run: 0 up, 0 down, 0 new, 0 missing.\n")
    ada = grades_of(place / "grades")["Ada"]
    assert (ada["total"], ada["max"]) == ("8", "10"), "until a person applies it"
    for options, total in (((), "8"), (("--apply",), "98")):
        shown = CliRunner().invoke(main, ["regrade", "-o", str(place / "grades"), *options])
        assert shown.exit_code == 0 and "Ada: 8 of 10 → 98 of 100 (+90)" in shown.stdout, shown.output
        assert grades_of(place / "grades")["Ada"]["total"] == total
    assert "0 of 2 are new or changed" in (again := run_grade("class", cwd=place)).stderr and "1 up" in again.stdout


def test_what_is_refused(place, first):
    for changed, options, expected in [
        (
            {"Homework 2": "Homework 3"},
            (),
            "is the gradebook of 'Homework 2', and this run's assignment is 'Homework 3'",
        ),
        ({"04.dlogits": "04.dlogit"}, (), "no row of 04_cross_entropy matches 'dlogit'; did you mean 'dlogits'?"),
        ({}, ("--lesson", "03"), "the assignment 'Homework 2' does not contain 03_makemore_steps"),
    ]:
        before = (place / "grades" / "grades.csv").read_bytes()
        text = HOMEWORK
        for old, new in changed.items():
            text = text.replace(old, new)
        (place / "other.toml").write_text(text, encoding="utf-8")
        refused = run_grade("class", "--assignment", "other.toml", *options, cwd=place)
        assert refused.returncode == 2 and expected in refused.stderr, refused.stderr
        assert (place / "grades" / "grades.csv").read_bytes() == before


@pytest.mark.full
def test_times_of_a_file_are_kept_and_said(place, first):
    """Ada's extended due date is 25 November; nothing is graded again, and a later run without the file keeps it."""
    times = place / "times.csv"
    times.write_text("name;submitted\nada;26.11.2026 01:00\nZoe;20.11.2026 10:00\nBo;-\n", encoding="utf-8")
    for options in (("--times", "times.csv"), ()):
        done = run_grade("class", *options, cwd=place)
        assert (done.returncode, "0 of 2 are new or changed" in done.stderr) == (0, True), done.stderr
        assert grades_of(place / "grades")["Ada"]["late_days"] == "1"
        report = (place / "grades" / "Ada" / "report.md").read_text(encoding="utf-8")
        assert "2 hours late" in report and "01:00 (UTC+01:00), by times.csv, line 2." in report
        if options:
            assert "times.csv, line 3: nobody here is Zoe, so the time is not used" in done.stderr
            assert "times.csv: 2 submission times, in the time zone Europe/Zurich" in done.stderr
    with sqlite3.connect(place / "grades" / GRADEBOOK) as book:
        kept = book.execute("SELECT submitted, source FROM times ORDER BY id").fetchall()
        own = ("2026-11-26T00:00:00+00:00", "times.csv, line 2")
        assert kept[-1] == own and kept.count(own) == 1  # an earlier test may have recorded another time
    refused = run_grade("class", "--times", "hw2.toml", cwd=place)
    assert refused.returncode == 2 and "needs a first line that names its columns" in refused.stderr


def test_extensions_need_an_assignment(place):
    refused = run_grade("class", "--extensions", "extensions.csv", "-o", "new", cwd=place)
    assert refused.returncode == 2 and "--extensions needs an assignment" in refused.stderr
    assert not (place / "new").exists()
