"""A folder that was only shown: no code of it runs, unless --course names it. Its files write MARK when they run."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import click.testing
import pytest
from kits import make_kit
from made_gradebook import write_gradebook
from pygls.lsp.server import LanguageServer
from pygls.workspace import Workspace
from support import ROOT

from grader.commands import checks, command_line, intake
from grader.commands import grade as grade_commands
from grader.commands.dojo import main as dojo_main
from grader.dojo import check as dojo_check
from grader.dojo.check import LocalJudge
from grader.dojo.desk import student_course
from grader.dojo.language_server import DojoServer
from grader.dojo.notebook import CheckMagic
from grader.errors import LessonError, UserError
from grader.lesson.course_modules import load_module
from grader.lesson.lesson import Course, Lesson
from grader.verdict.judge.examples import examples_of, stub_module

pytest_plugins = ["dojos"]

CROSS = "04_cross_entropy"
MARK = "it-ran"
PROGRAM = f"\nopen({MARK!r}, 'w').close()\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a student's repository, in which every file that a course could run was changed."""
    folder = make_kit(tmp_path / "ada", (CROSS, "07_training"))
    shutil.copytree(ROOT / "solutions" / CROSS, folder / "solutions" / CROSS)
    shutil.copy(folder / "solutions" / CROSS / "backward.py", folder / "exercises" / CROSS / "backward.py")
    own = folder / "exercises" / CROSS / "backward.py"
    for path in (*folder.rglob("*.py"), *folder.rglob(".stub")):
        if path != own and path.parent.name != "variants":
            path.write_text(path.read_text(encoding="utf-8") + PROGRAM, encoding="utf-8")
    keys = folder / "solutions" / CROSS / "questions.toml"  # which may hold lines of code
    keys.write_text(keys.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    for place in (folder, folder / "solutions" / CROSS):
        (place / "conftest.py").write_text(PROGRAM, encoding="utf-8")
        (place / "sitecustomize.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def nothing_ran(repository: Path) -> Callable[[], bool]:
    return lambda: not any(repository.parent.rglob(MARK))


def run(main: click.Command, *words: object) -> click.testing.Result:
    return click.testing.CliRunner().invoke(main, [str(word) for word in words])


TYPED_THERE = [
    "run .",
    "run . --lesson 04 -o ../grades",
    "run . --course .",
    "run exercises --course .",
    f"run exercises/{CROSS}/backward.py --lesson 04 --course .",
    "run .. --course .",
    "verify",
    "stubs",
    "figures",
    "new-lesson 20_own",
    "release ../kit",
    "export gradescope -o ../autograder.zip",
]


def test_grade_takes_no_course_from_the_folder_that_it_is_typed_in(repository, nothing_ran):
    for typed in TYPED_THERE:
        done = run(grade_commands.main, *typed.split())
        assert done.exit_code == command_line.UNUSABLE and done.stderr.count("\n") == 1, done.output
        assert ("is to be graded, and the course" if "--course" in typed else "add --course .;") in done.stderr
        assert nothing_ran()


@pytest.mark.parametrize("place", [".", "exercises", "examples/submissions"])
def test_the_checkout_of_the_grader_is_its_course_wherever_it_is_typed(place, tmp_path, monkeypatch):
    """So `make grade`, and `grade run submissions/` and `grade run .` in a clone, need no --course."""
    monkeypatch.chdir(ROOT / place)
    assert checks.find_course(None) == ROOT
    intake.refuse_course_in_submissions(ROOT, [Path()])
    monkeypatch.chdir(tmp_path)
    assert checks.find_course(None) == ROOT


PLACES = [
    ("course", True),
    ("", True),  # the course lies in it
    ("course/exercises", True),
    ("course/exercises/01_a/backward.py", True),
    ("course/solutions", True),
    ("linked/01_a", True),
    ("course/submissions", False),
    ("course/submissions/ada", False),
    ("course/submissions.zip", False),
    ("course 2", False),
]


def test_a_course_is_neither_in_a_submission_nor_around_it(tmp_path):
    course = tmp_path / "course"
    (tmp_path / "linked" / "01_a").mkdir(parents=True)
    (course / "exercises" / "01_a").mkdir(parents=True)
    (course / "solutions").symlink_to(tmp_path / "linked")
    for submission, is_refused in PLACES:
        if is_refused:
            with pytest.raises(UserError, match="Keep the course in a folder of its own"):
                intake.refuse_course_in_submissions(course, [tmp_path / submission])
        else:
            intake.refuse_course_in_submissions(course, [tmp_path / submission])


@pytest.mark.parametrize(
    ("typed", "status"),
    [
        ("comment ada Seen. -o {out}", 0),
        ("adjust ada 04.dlogits --points 1 --because x -o {out}", 0),
        ("regrade --lesson 04 -o {out}", command_line.UNUSABLE),
        ("similar -o {out}", command_line.UNUSABLE),
    ],
)
def test_a_gradebook_names_no_folder_whose_code_runs(typed, status, repository, nothing_ran, tmp_path, monkeypatch):
    write_gradebook(tmp_path / "sent", {"ada": 0, "bo": 1}, repository)
    monkeypatch.chdir(tmp_path)
    done = run(grade_commands.main, *typed.format(out="sent").split())
    assert done.exit_code == status, done.output
    assert "is not the one that `grade` is a part of: name it with --course" in done.stderr
    assert nothing_ran()


@pytest.mark.parametrize("out", ["results", "link", "deeper/results"])
def test_a_gradebook_that_a_submission_brings_is_refused(out, tmp_path, monkeypatch):
    """A student can commit one, in which a person has given them all points: it would count in a CI job."""
    submission = tmp_path / "ada"
    (submission / CROSS).mkdir(parents=True)
    (submission / CROSS / "backward.py").write_text("")
    real = tmp_path / "elsewhere" if out == "link" else submission / out
    write_gradebook(real, {"ada": 2})
    if out == "link":
        (submission / out).symlink_to(real)
    monkeypatch.chdir(submission)
    done = run(grade_commands.main, "run", ".", "--lesson", "04", "-o", out)
    assert done.exit_code == 2, done.output
    assert f"{out} is in the submission ada, whose author may have written the results" in done.stderr


def test_dojo_s_list_runs_nothing(repository, nothing_ran):
    assert run(dojo_main, "list").exit_code == 0 and nothing_ran()


@pytest.mark.parametrize("typed", ["check 04", "answer 04", "report 04 --no-open", "train"])
def test_dojo_runs_no_changed_lesson_unless_it_is_named(typed, repository, nothing_ran, judge, monkeypatch):
    monkeypatch.setattr("grader.dojo.desk.EagerZygote", lambda imports: None)
    monkeypatch.setattr(dojo_check, "LocalJudge", lambda zygote: judge)
    done = run(dojo_main, *typed.split())
    assert done.exit_code == command_line.UNUSABLE and "differs from what was installed with `dojo`" in done.stderr
    assert nothing_ran()


def test_dojo_runs_what_is_installed_and_what_is_named(repository, nothing_ran, judge: LocalJudge, monkeypatch):
    monkeypatch.setattr("grader.dojo.desk.EagerZygote", lambda imports: None)
    monkeypatch.setattr(dojo_check, "LocalJudge", lambda zygote: judge)
    named = run(dojo_main, "check", "04", "--course", ".")
    assert named.exit_code == 0 and not nothing_ran(), named.output
    for path in repository.parent.rglob(MARK):
        path.unlink()
    for name in ("forward.py", "examples.py"):
        shutil.copy(ROOT / "exercises" / CROSS / name, repository / "exercises" / CROSS / name)
    as_installed = run(dojo_main, "check", "04")  # its .stub is changed, as that of `dojo start --bare` is
    assert as_installed.exit_code == 0 and nothing_ran(), as_installed.output


def refused_lesson(course: Course) -> bool:
    lesson: Lesson = course.find("04")
    with pytest.raises(LessonError, match="differs from what was installed"):
        _ = lesson.public
    with pytest.raises(LessonError, match="differs from what was installed"):
        examples_of(lesson)
    stub_module(lesson)
    return True


def test_an_editor_and_a_notebook_only_show_a_folder(repository, nothing_ran, monkeypatch):
    assert refused_lesson(Course(student_course(None), secrets=False))  # what `dojo mcp` serves
    shell = SimpleNamespace(user_ns={})
    assert refused_lesson(CheckMagic(shell).desk.course)
    monkeypatch.setattr(LanguageServer, "workspace", Workspace(repository.as_uri()))
    served = DojoServer()
    assert served._lesson_of((repository / "exercises" / CROSS / "backward.py").as_uri()) is not None
    assert served._desk is not None and served.session is not None and refused_lesson(served._desk.course)
    served.session.close()
    assert nothing_ran()


@pytest.mark.parametrize("workspace", ["elsewhere", None])
def test_an_editor_s_file_outside_the_workspace_is_no_lesson(workspace, repository, tmp_path, monkeypatch):
    uri = None if workspace is None else (tmp_path / workspace).as_uri()
    monkeypatch.setattr(LanguageServer, "workspace", Workspace(uri))
    served = DojoServer()
    assert served._lesson_of((repository / "exercises" / CROSS / "backward.py").as_uri()) is None
    assert served._desk is None


def test_what_pycache_holds_does_not_run(tmp_path):
    """A cache without a check of its source, as PEP 552 allows, runs in place of any text."""
    path = tmp_path / "forward.py"
    path.write_text("which = 'the cache'\n")
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(path), importlib.util.cache_from_source(os.fspath(path)), invalidation_mode=mode)
    path.write_text("which = 'the text'\n")
    assert load_module(path, "a_file_with_a_cache").which == "the text"
