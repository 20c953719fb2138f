"""`dojo start`: a folder with the public exercises, in which a student works without a clone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from kits import make_kit

from grader.commands import dojo_watch
from grader.commands.dojo import main
from grader.dojo.start import make_working_folder
from grader.errors import UserError
from grader.lesson.bare_stub import BARE_STUB_NOTE
from grader.lesson.lesson import Course


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
        assert printed.startswith(f"You work in {shown}. For a folder of its own: dojo start my-work\n\nLesson 03: ")
        assert printed.endswith("\nThen type: dojo watch 03\n")
    old = tmp_path / "old"
    make_working_folder(Course(source), old, bare=False)
    (old / "exercises" / "04_cross_entropy" / "backward.py").write_text("X = 1\n")
    assert "Lesson 04: backward.py copied." in start("--from", old)[1]
    assert sorted(source.iterdir()) == there and not list(below.iterdir())
    assert start("my-work") == (
        0,
        "my-work/ has 3 lessons. Next:\n\n    cd my-work\n    dojo\n\n"
        f"{source}/exercises/ is another folder: `dojo` counts the one that you are in.\n",
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
    monkeypatch.setattr(dojo_watch, "nearest_course", lambda given: None)
    monkeypatch.setattr(dojo_watch, "WITH_EXERCISES", installed)
    assert start("work")[0] == 0
    assert len([*(tmp_path / "work").glob("exercises/*/backward.py")]) == 3
    monkeypatch.setattr(dojo_watch, "WITH_EXERCISES", tmp_path)
    assert start("other") == (
        2,
        "",
        "dojo: no lessons were installed with `dojo`. Name a folder that has exercises/ with --course.\n",
    )


def test_a_lesson_without_a_stub_is_named(tmp_path, source):
    stub = source / "exercises" / "04_cross_entropy" / ".stub"
    stub.unlink()
    with pytest.raises(UserError) as caught:
        make_working_folder(Course(source), tmp_path / "work", bare=False)
    assert str(caught.value) == (
        f"{stub} cannot be read: No such file or directory. Its author writes it with `grade stubs`."
    )
    assert not (tmp_path / "work").exists()


def test_without_any_course_dojo_says_how_to_begin(tmp_path, monkeypatch):
    monkeypatch.setattr("grader.dojo.desk.nearest_course", lambda given: None)
    shutil.rmtree(tmp_path / "nothing", ignore_errors=True)
    done = CliRunner().invoke(main, [])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "dojo: there is no folder exercises/ here. Make a folder to work in with `dojo start`,"
    )


def test_work_is_copied_into_a_new_release(tmp_path, source, monkeypatch):
    """Unpacked over the old one, a new kit would replace it by stubs."""
    old, new = tmp_path / "old", tmp_path / "new"
    make_working_folder(Course(source), old, bare=False)
    make_working_folder(Course(source), new, bare=False)
    before, after = (folder / "exercises" / "03_makemore_steps" for folder in (old, new))
    work = (before / ".stub").read_text().replace("def dC(", "def dCC(") + "\nX = 1\n"
    (before / "backward.py").write_text(work)
    (before / "helpers.py").write_text("Y = 2\n")
    (before / "answers.toml").write_text('student = "ada"\n')
    (before / "notes.ipynb").write_text("{}")
    monkeypatch.chdir(new)
    copied = "Lesson 03: backward.py, answers.toml, helpers.py, notes.ipynb copied."
    lacks = " It has no dC yet: see exercises/03_makemore_steps/.stub.\n"
    assert start("--from", "../old") == (0, copied + lacks, "")
    assert (after / "backward.py").read_text() == work and (after / "helpers.py").read_text() == "Y = 2\n"
    (after / "backward.py").write_text("Z = 3\n")
    left = "Lesson 03: exercises/03_makemore_steps/backward.py is left as it is: it is not the stub any more.\n"
    assert start("--from", "../old") == (0, left, "")
    assert (after / "backward.py").read_text() == "Z = 3\n"
    assert start("--from", tmp_path)[0] == 2 and start("--from", ".")[0] == 2
    assert start("../fourth", "--from", tmp_path)[0] == 2 and not (tmp_path / "fourth").exists()
    monkeypatch.chdir(old)
    assert start("../third", "--from", ".")[0] == 0
    third = tmp_path / "third" / "exercises" / "03_makemore_steps"
    assert (third / "backward.py").read_text() == work and (third / "answers.toml").is_file()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with a name")
def test_nothing_in_another_folder_stalls_or_leads_elsewhere(tmp_path, source, monkeypatch):
    """A pipe would be waited for, a link gives a file of somebody else's, and nobody has room for a sparse file."""
    old, new, lesson = tmp_path / "old", tmp_path / "new", "03_makemore_steps"
    for folder in (old, new):
        make_working_folder(Course(source), folder, bare=False)
    before, after = (folder / "exercises" / lesson for folder in (old, new))
    for unread in (before / "lesson.toml", before / ".stub", old / "course.toml"):
        unread.unlink(missing_ok=True)
        os.mkfifo(unread)
    (tmp_path / "key").write_text("SECRET = 1\n")
    (before / "linked.py").symlink_to(tmp_path / "key")
    (before / "zero.py").symlink_to("/dev/zero")
    os.mkfifo(before / "pipe.py")
    (before / "folder.py").mkdir()
    (before / "\x1b]0;name\x07.py").write_text("Y = 2\n")
    with open(before / "sparse.py", "wb") as file:
        file.truncate(1 << 40)
    (before / "backward.py").write_text("X = 1\n")
    there = os.listdir(after)
    monkeypatch.chdir(new)
    status, printed, _ = start("--from", "../old")
    assert status == 0 and sorted(set(os.listdir(after)) - {*there}) == ["\x1b]0;name\x07.py"]
    assert printed.isascii() and printed.replace("\n", "").isprintable()
    for name, why in (
        ("linked.py", "it is a link"),
        ("zero.py", "it is a link"),
        ("pipe.py", "it is not an ordinary file"),
        ("folder.py", "it is not an ordinary file"),
        ("sparse.py", "it has 1,099,511,627,776 bytes, more than 33,554,432"),
    ):
        assert f"{name} was not copied: {why}." in printed
    assert (after / "backward.py").read_text() == "X = 1\n"
    (after / "backward.py").write_bytes((after / ".stub").read_bytes())
    (before / "backward.py").unlink()
    (before / "backward.py").symlink_to(tmp_path / "key")
    status, printed, _ = start("--from", "../old")
    assert status == 0 and "backward.py was not copied: it is a link." in printed
    assert (after / "backward.py").read_bytes() == (after / ".stub").read_bytes()
