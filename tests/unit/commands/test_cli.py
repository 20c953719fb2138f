"""The `grade` command as it is typed: exit codes, what lies in OUT afterwards, and one sentence for every bad input."""

from __future__ import annotations

import errno
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import jsonschema
import pytest
from click.testing import CliRunner
from made_gradebook import write_gradebook
from shared_nursery import run_grade
from support import GUARD_SECONDS, ROOT, SCHEMA, solution_of, without_seconds

from grader.commands import command_line
from grader.commands import grade as cli
from grader.commands.command_line import CommandGroup
from grader.commands.dojo import main as dojo
from grader.errors import GraderFault
from grader.gradebook.grading import server
from grader.gradebook.grading.settings import Settings
from grader.lesson.lesson import Lesson
from grader.sandbox.isolation.probe import Isolation


@pytest.fixture(scope="module")
def small(course) -> Lesson:
    return course.find("04")


@pytest.fixture(scope="module")
def submissions(tmp_path_factory: pytest.TempPathFactory, small: Lesson) -> Path:
    """A right one, a wrong one, a broken one and an empty one."""
    folder = tmp_path_factory.mktemp("class")
    sources = {
        "ada": solution_of(small),
        "bo": "def dlogits(logits):\n    return -logits\n",
        "cy": "def dlogits(logits:\n",
    }
    for student, source in sources.items():
        (folder / student / small.name).mkdir(parents=True)
        (folder / student / small.name / "backward.py").write_text(source)
    (folder / "di").mkdir()
    return folder


@pytest.fixture(scope="module")
def graded(
    submissions: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[subprocess.CompletedProcess[str], Path]:
    out = tmp_path_factory.mktemp("out") / "grades"
    return run_grade(submissions, "--lesson", "4", "--seed", "7", "-o", out, "--jobs", "2"), out


def test_a_broken_submission_is_a_result_and_every_file_is_there(graded):
    process, out = graded
    assert process.returncode == 0, process.stderr
    assert str(out / "index.html") in process.stdout and str(out / "grades.csv") in process.stdout
    assert (out / "grades.csv").read_text().splitlines() == [
        "student,04_cross_entropy,total,max,percent",
        *("ada,3,3,3,100", "bo,0,0,3,0", "cy,0,0,3,0", "di,0,0,3,0"),
    ]
    assert "\x1b" not in process.stderr  # without a terminal, a plain line per submission
    assert sorted(line.split("] ")[1] for line in process.stderr.splitlines() if line.startswith("[")) == [
        *("ada: 3 of 3 (100 %)", "bo: 0 of 3 (0 %)", "cy: 0 of 3 (0 %)", "di: 0 of 3 (0 %)"),
    ]
    for student in ("ada", "bo", "cy", "di"):
        assert {p.name for p in (out / student).iterdir()} == {"report.html", "report.md", "results.json"}
        results = json.loads((out / student / "results.json").read_text())
        jsonschema.validate(results, SCHEMA)
        assert (results["student"], results["seed"]) == (student, 7)
    with sqlite3.connect(out / "gradebook.sqlite") as book:
        kept = dict(book.execute("SELECT student, results FROM attempts"))
    assert {s: json.loads(r)["score"] for s, r in kept.items()} == {"ada": 3, "bo": 0, "cy": 0, "di": 0}


@pytest.mark.full
def test_the_same_seed_gives_the_same_files_but_for_seconds_even_from_another_folder(graded, submissions, tmp_path):
    """And a torch.py where the command is typed is not imported: a CI job stands in the student's own folder."""
    _, out = graded
    for name in ("torch.py", "pytest.py", "grader.py", "numpy.py"):
        (tmp_path / name).write_text("raise SystemExit('imported')\n")
    again = run_grade(submissions, "--lesson", "04", "--seed", "7", "-o", "grades", "--fail-under", "50", cwd=tmp_path)
    assert again.returncode == 1, again.stderr
    assert "Under 50 %: bo, cy, di" in again.stderr
    for student in ("ada", "bo", "cy", "di"):
        files = (folder / student / "results.json" for folder in (out, tmp_path / "grades"))
        first, second = (without_seconds(json.loads(file.read_text())) for file in files)
        assert first == second
    assert (out / "grades.csv").read_bytes() == (tmp_path / "grades" / "grades.csv").read_bytes()


def test_a_second_run_says_what_is_as_before_and_writes_the_same(graded, submissions):
    _, out = graded
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file() and "sqlite" not in path.name}
    again = run_grade(submissions, "--lesson", "4", "--seed", "7", "-o", out, "--fail-under", "90")
    assert again.returncode == 1
    assert again.stderr == (
        "0 of 4 are new or changed; 4 are as before (--fresh grades all).\n"
        "4 graded, 1 with full marks.\nUnder 90 %: bo, cy, di\n"
    )
    after = {path: path.read_bytes() for path in out.rglob("*") if path.is_file() and "sqlite" not in path.name}
    assert after == before


# What is refused ------------------------------------------------------------------------------------------------------


def test_less_isolation_than_required_is_refused_with_the_way_out(monkeypatch, submissions, tmp_path):
    found = Isolation("weak", (), ("No Landlock (left out): files can be read.",))
    monkeypatch.setattr("grader.commands.checks.probe", lambda: found)
    arguments = ["run", str(submissions), "--lesson", "04", "--course", str(ROOT), "-o", str(tmp_path / "out")]
    result = CliRunner().invoke(cli.main, arguments)
    assert result.exit_code == command_line.UNUSABLE
    assert "'weak' only, and 'fair' is required. No Landlock" in result.stderr and "--require weak" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_grader_process_that_reaches_less_refuses_too(monkeypatch, tmp_path):
    """The coordinator's probe is of another process: each grader looks for itself."""
    monkeypatch.setattr(server, "probe", lambda: Isolation("weak", (), ()))
    with pytest.raises(GraderFault, match="'weak' only, and 'fair' is required"):
        server.new_session(Settings(str(ROOT), ["04_cross_entropy"], 1, str(tmp_path), require="fair"), None)


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (KeyboardInterrupt(), command_line.STOPPED, "\ngrade: stopped.\n"),
        (
            PermissionError(errno.EACCES, "Permission denied", "x"),
            2,
            "grade: x cannot be read or written: Permission denied.\n",
        ),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            2,
            "grade: the output cannot be read or written: No space left on device.\n",
        ),
        (OSError(errno.EBADF, "Bad file descriptor"), None, ""),
        (
            ModuleNotFoundError(name="mcp.server"),
            2,
            f"grade: mcp is not installed. Type: {sys.executable} -m pip install 'mcp>=2,<3'   "
            "(or load a module that has it)\n",
        ),
        (ModuleNotFoundError(name="grader.nowhere"), None, ""),
    ],
)
def test_what_a_user_can_do_about_an_error_is_one_sentence(error, status, sentence, monkeypatch, tmp_path):
    """Ctrl-C during `grade verify` must not end with 1, as a course with an error does."""

    def fails(*_):
        raise error

    write_gradebook(tmp_path, {"ada": 1})
    monkeypatch.setattr("grader.commands.decisions.student_called", fails)
    result = CliRunner().invoke(cli.main, ["history", "ada", "-o", str(tmp_path)])
    if status is None:  # what no user can fix is not hidden
        assert result.exception is error
    else:
        assert (result.exit_code, result.stdout, result.stderr) == (status, "", sentence)


def commands_of(group: CommandGroup) -> Iterator[list[str]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield [name]
        if isinstance(command, CommandGroup):
            yield from ([name, *words] for words in commands_of(command))


def test_every_command_has_help_with_examples():
    for group in (cli.main, dojo):
        for words in [[], *commands_of(group)]:
            result = CliRunner().invoke(group, [*words, "--help"])
            assert result.exit_code == 0 and "Examples:" in result.output, words


@pytest.mark.parametrize(
    ("typed", "found"), [("dojo ch", "check"), ("dojo check --pr", "--problems"), ("grade export ca", "canvas")]
)
def test_a_shell_completes_commands_and_options(typed, found):
    program, *words = typed.split()
    variables = {f"_{program.upper()}_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(len(words))}
    done = CliRunner(env=variables).invoke({"dojo": dojo, "grade": cli.main}[program], [])
    assert done.stdout == f"plain,{found}\n"


def test_the_help_of_a_run_fits_on_one_screen():
    assert CliRunner().invoke(cli.main, ["run", "--help"]).output.count("\n") <= 50


# The program `dojo` ---------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_dojo_needs_no_standard_output():
    """A job may start it with standard output closed; torch is loaded, so the program ends by itself."""
    code = "import torch; from grader.commands.start_dojo import main; main()"
    command = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-c", code, "list"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=GUARD_SECONDS)
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_while_dojo_is_imported_is_one_sentence():
    """A command's modules take half a second, in which somebody who has mistyped a word stops it."""
    code = (
        "import sys\n"
        "class Stops:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'grader.commands.dojo_work': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stops())\n"
        "from grader.commands.start_dojo import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=GUARD_SECONDS)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\ndojo: stopped.\n")
