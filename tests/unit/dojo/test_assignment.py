"""`dojo` in a kit that contains an assignment."""

from __future__ import annotations

import shutil
from pathlib import Path

from click.testing import CliRunner
from support import ROOT

from grader.authoring.release.kit import kit_of
from grader.commands.dojo import main
from grader.dojo.desk import Desk
from grader.gradebook.assignment.config import parse_assignment

TEXT = """
title = "Homework 2"
rows = ["04", {rows = "03.dp*", points = 4}, {rows = "03.dcounts*", weight = 2}]
due = 2026-11-20T23:59:00+01:00
[settings]
shape = "broadcast"
"""


def test_a_kit_has_the_assignment_it_was_made_for(course):
    lesson = course.find("04")
    assignment = parse_assignment('title = "H"\nrows = ["04"]\n', Path("hw.toml"), [lesson])
    assert kit_of([lesson], assignment)["assignment.toml"].decode() == assignment.text
    assert "assignment.toml" not in kit_of([lesson])


def test_a_desk_reads_it_and_its_settings_and_goes_on_where_it_does_not_fit(tmp_path):
    shutil.copytree(ROOT / "exercises" / "04_cross_entropy", tmp_path / "exercises" / "04_cross_entropy")
    fitting = TEXT.replace(', {rows = "03.dp*", points = 4}, {rows = "03.dcounts*", weight = 2}', "")
    (tmp_path / "assignment.toml").write_text(fitting, encoding="utf-8")
    desk = Desk(tmp_path, print)
    assert desk.assignment is not None and desk.assignment.title == "Homework 2"
    assert desk.course.find("04").settings.shape == "broadcast"
    listed = CliRunner().invoke(main, ["list", "--course", str(tmp_path)]).stdout
    assert "\nHomework 2, due on Friday 20 November 2026, 23:59 (UTC+01:00)\n" in listed
    (tmp_path / "assignment.toml").write_text(TEXT, encoding="utf-8")
    heard: list[str] = []
    desk = Desk(tmp_path, heard.append)
    assert desk.assignment is None and desk.course.find("04").settings.shape is None
    assert len(heard) == 1 and "no lesson matches '03'" in heard[0]
