"""`dojo start`: a folder in which a student works without a clone; and a folder with an assignment."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from kits import make_kit
from support import ROOT

from grader.authoring.release.kit import kit_of
from grader.commands import dojo_work
from grader.commands.dojo import main
from grader.dojo.desk import Desk
from grader.gradebook.assignment.config import parse_assignment
from grader.lesson.lesson import Course
from grader.lesson.stub import BARE_STUB_NOTE


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A course in which somebody has worked."""
    kit = make_kit(tmp_path / "source")
    folder = kit / "exercises" / "03_makemore_steps"
    (folder / "backward.py").write_text("def dlogprobs(): return 'somebody else wrote this'\n")
    (folder / "backward.py.before-reset-1").write_text("older\n")
    (folder / "figures.py").write_text("def figures(): ...\n")
    (kit / "course.toml").write_text('shape = "broadcast"\n')
    return kit


def start(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["start", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr


def test_a_working_folder_has_stubs_and_nothing_of_somebody_else_s(tmp_path, source, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert start("--course", source) == (
        0,
        "backprop-ninja/ has 3 lessons. Next:\n\n    cd backprop-ninja\n    dojo\n",
        "",
    )
    made = tmp_path / "backprop-ninja"
    names = [".gitignore", ".vscode", "AGENTS.md", "course.toml", "exercises"]
    assert sorted(path.name for path in made.iterdir()) == names
    for lesson in Course(made).lessons.values():
        given = source / "exercises" / lesson.name
        assert (lesson.exercise / "backward.py").read_bytes() == (given / ".stub").read_bytes()
        names = {path.name for path in given.iterdir()} - {"figures.py", "backward.py.before-reset-1"}
        assert {path.name for path in lesson.exercise.iterdir()} == names
    again = "backprop-ninja/ is there already, with your work in it. Go on there:\n\n    cd backprop-ninja\n    dojo\n"
    assert start() == (0, again, "")
    assert start("--course", source) == (
        2,
        "",
        "dojo: backprop-ninja exists and is not empty. Choose another name, as in `dojo start my-work`.\n",
    )


def test_a_lesson_is_no_name_of_a_working_folder(tmp_path, source, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("03", "3", "makemore_steps"):
        status, said, error = start(name, "--course", source)
        assert (status, said) == (2, "") and error.startswith(f"dojo: {name} is a lesson: dojo watch 03. ")
    assert not (tmp_path / "03").exists()


def test_where_exercises_are_already_it_starts_on_those(tmp_path, source, monkeypatch):
    """In a clone a second exercises/ was made, and back in the root the work in it looked lost."""
    (source / "solutions").mkdir()
    own = source / "exercises" / "03_makemore_steps" / "backward.py"
    own.write_bytes(own.with_name(".stub").read_bytes())
    below = source / "docs" / "notes"
    below.mkdir(parents=True)
    there = sorted(source.iterdir())
    for folder, shown in ((source, "exercises/"), (below, f"{source}/exercises/")):
        monkeypatch.chdir(folder)
        status, printed, _ = start()
        assert status == 0
        assert printed.startswith(f"You work in {shown}. A folder of its own: dojo start my-work\n\nLesson 03: ")
        assert "3. Type: dojo watch 03." in printed
    assert sorted(source.iterdir()) == there and not list(below.iterdir())
    assert start("my-work") == (
        0,
        "my-work/ has 3 lessons. Next:\n\n    cd my-work\n    dojo\n",
        "",
    )


def test_bare_stubs_stay_bare_after_a_reset(tmp_path, source, monkeypatch):
    assert start(tmp_path / "hard", "--bare", "--course", source)[0] == 0
    monkeypatch.chdir(tmp_path / "hard")
    path = Path("exercises/03_makemore_steps/backward.py")
    bare = path.read_text()
    assert BARE_STUB_NOTE in bare and "def dprobs():\n" in bare
    path.write_text("x = 1\n")
    assert CliRunner().invoke(main, ["reset", "03"]).exit_code == 0
    assert path.read_text() == bare
    assert "24 to do" not in CliRunner().invoke(main, ["list"]).stdout


def test_outside_a_course_it_takes_the_lessons_that_were_installed(tmp_path, monkeypatch):
    """In a wheel the package has exercises/, without backward.py."""
    installed = make_kit(tmp_path / "site-packages" / "grader")
    for path in installed.glob("exercises/*/backward.py"):
        path.unlink()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dojo_work, "nearest_course", lambda given: None)
    monkeypatch.setattr(dojo_work, "WITH_EXERCISES", installed)
    assert start("work")[0] == 0
    assert len([*(tmp_path / "work").glob("exercises/*/backward.py")]) == 3
    (stub := installed / "exercises" / "04_cross_entropy" / ".stub").unlink()
    assert start("half")[2] == f"dojo: {stub} is missing. Its author writes it with `grade stubs`.\n"
    assert not (tmp_path / "half").exists()
    monkeypatch.setattr(dojo_work, "WITH_EXERCISES", tmp_path)
    assert start("other") == (
        2,
        "",
        "dojo: no lessons were installed with `dojo`. Name a folder that has exercises/ with --course.\n",
    )


def test_without_any_course_dojo_says_how_to_begin(monkeypatch):
    monkeypatch.setattr("grader.dojo.desk.nearest_course", lambda given: None)
    done = CliRunner().invoke(main, [])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "dojo: there is no folder exercises/ here. Make a folder to work in with `dojo start`,"
    )


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
