"""`dojo` in a kit that contains an assignment."""

from __future__ import annotations

import shutil
from pathlib import Path

from rich.console import Console
from support import ROOT

from grader.authoring.release.kit import kit_of
from grader.dojo.desk import Desk
from grader.dojo.overview import assignment_screen, next_lines
from grader.dojo.progress import Progress, next_lesson
from grader.gradebook.assignment.config import parse_assignment

TEXT = """
title = "Homework 2"
rows = ["04", {rows = "03.dp*", points = 4}, {rows = "03.dcounts*", weight = 2}]
due = 2026-11-20T23:59:00+01:00
[settings]
shape = "broadcast"
"""
SCREEN = """
Homework 2, due on Friday 20 November 2026, 23:59 (UTC+01:00)
    03 dprobs: 4 points
    03 dcounts_sum_inv, dcounts_sum, dcounts: 2 points each
    04 dlogits: 2 points
    04 in_one_go: 1 point
    Right so far, by the public problems: 6 of 13 points.
"""


def test_the_list_shows_rows_points_and_due_date(course):
    assignment = parse_assignment(TEXT, Path("hw2.toml"), list(course.lessons.values()))
    progress = [
        Progress(course.find("03"), {"dprobs": "passed", "dcounts": "failed"}),
        Progress(course.find("04"), {"dlogits": "here", "in_one_go": "todo"}),
        Progress(course.find("05"), {}),
    ]
    console = Console(width=80, record=True, markup=False, emoji=False, highlight=False)
    with console.capture() as captured:
        for part in assignment_screen(assignment, progress):
            console.print(part)
    assert captured.get() == SCREEN


def next_line(progress: Progress) -> str:
    console = Console(width=100)
    with console.capture() as captured:
        console.print(next(iter(next_lines(progress))))
    return captured.get().strip()


def test_next_is_a_row_of_the_assignment_while_there_is_one(course):
    """`last` is the lesson's last row: without an assignment, it would come last."""
    lesson = course.find("03")
    first, last = lesson.items[0].name, lesson.items[-1].name
    only = {last}
    assert Progress(lesson, {}, assigned=only).next_row == last
    assert Progress(lesson, {first: "failed"}, assigned=only).next_row == last
    assert Progress(lesson, {first: "failed"}).next_row == first
    done = Progress(lesson, {first: "failed", last: "passed"}, assigned=only)
    assert next_line(done) == f"Next: fix {first}  (not in the assignment)"
    others = [Progress(course.find("02"), {}, assigned=set()), Progress(lesson, {}, assigned=only)]
    assert next_lesson(others) is others[1] and next_lesson(others, lesson.name) is others[0]


def small_course(folder: Path, text: str) -> Path:
    shutil.copytree(ROOT / "exercises" / "04_cross_entropy", folder / "exercises" / "04_cross_entropy")
    (folder / "assignment.toml").write_text(text, encoding="utf-8")
    return folder


def test_a_desk_reads_it_and_its_settings(tmp_path):
    desk = Desk(
        small_course(tmp_path, TEXT.replace(', {rows = "03.dp*", points = 4}, {rows = "03.dcounts*", weight = 2}', "")),
        print,
    )
    assert desk.assignment is not None and desk.assignment.title == "Homework 2"
    assert desk.course.find("04").settings.shape == "broadcast"


def test_an_assignment_that_does_not_fit_is_a_sentence_and_no_obstacle(tmp_path):
    heard: list[str] = []
    desk = Desk(small_course(tmp_path, TEXT), heard.append)
    assert desk.assignment is None and desk.course.find("04").settings.shape is None
    assert len(heard) == 1 and "no lesson matches '03'" in heard[0]


def test_a_kit_contains_it(course):
    lesson = course.find("04")
    assignment = parse_assignment('title = "H"\nrows = ["04"]\n', Path("hw.toml"), [lesson])
    assert kit_of([lesson], assignment)["assignment.toml"].decode() == assignment.text
    assert "assignment.toml" not in kit_of([lesson])
