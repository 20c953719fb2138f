"""GitHub's job and Gradescope's container as the platforms run them, over a course with a token in every secret place.

The last tests search everything that a student gets to see for those tokens: reports, exports, release, annotations.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import os
import re
import shutil
import site
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from runner import Command, Runner
from support import GUARD_SECONDS, ROOT

from grader.commands import grade as cli
from grader.commands.command_line import FAULT, UNUSABLE
from grader.lesson.lesson import Course
from grader.publish.export import autograder
from grader.publish.export.formats import write_formats

LESSON = "04_cross_entropy"
MARK = "zqtoken"
"""Every token begins with it and names the place where it was planted."""

WRONG = """
import torch.nn.functional as F

print("::error file=a,line=1::printed")
print("##[add-path]/tmp")


def dlogits(logits, Yb, n):
    print("::stop-commands::mine")
    return -F.softmax(logits, 1)
"""
RIGHT = """
import torch.nn.functional as F


def dlogits(logits, Yb, n):
    return (F.softmax(logits, 1) - F.one_hot(Yb, logits.shape[1])) / n
"""
PRYING = """
import os

found = []
paths = ["@ROOT@/source/course/solutions/04_cross_entropy/backward.py", "@ROOT@/source/settings.json"]
for folder, _, files in os.walk("@ROOT@"):
    paths += [os.path.join(folder, name) for name in files]
for path in paths:
    try:
        found.append(open(path).read())
    except Exception as error:
        found.append(str(error))
print("".join(found)[:100_000])
try:
    open("@ROOT@/results/results.json", "w").write('{"score": 3}')
except Exception as error:
    print(error)


def dlogits(logits, Yb, n):
    raise ValueError("".join(found)[:100_000])
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lesson 04 alone, with tokens in its suite, answer, known mistakes and variants."""
    root = tmp_path_factory.mktemp("tokens")
    for part in ("exercises", "solutions"):
        shutil.copytree(ROOT / part / LESSON, root / part / LESSON, ignore=shutil.ignore_patterns("__pycache__"))
    secret = root / "solutions" / LESSON

    def edit(path: Path, before: str, after: str, end: str = "") -> None:
        path.write_text(path.read_text().replace(before, after) + end)

    inside = f"    # {MARK}_answer_comment\n    {MARK}_answer_name = '{MARK}_answer_text'\n"
    edit(secret / "backward.py", "# <answer>\n", f"# <answer>\n{inside}")
    test = "def test_gradient(gradient):\n"
    end = f'\n\n# {MARK}_suite_comment\n{MARK}_suite_name = "{MARK}_suite_text"\n'
    edit(next(secret.glob("test_*.py")), test, f"{test}    {MARK}_local = 1\n", end)
    known = f"# {MARK}_mistake_comment\n[dlogits]\n{MARK}_mistake_name:\n        {MARK}_mistake_body = 3\n"
    known += f"        logits * {MARK}_mistake_body\n    {MARK}_mistake_message is told to nobody here.\n"
    edit(secret / "mistakes.py", "", "", f'\n\nMORE = mistake_list("""\n{known}""")\n')
    for number, path in enumerate(sorted((secret / "variants").glob("*.py"))):
        edit(path, "", "", f"\n# {MARK}_variant_{number}\n")
    return root


def grade(*arguments: object) -> str:
    done = CliRunner().invoke(cli.main, list(map(str, arguments)))
    assert done.exit_code == 0, done.output
    return done.output


# GitHub --------------------------------------------------------------------------------------------------------------


@dataclass
class Job:
    """What a run of the workflow's own steps left behind."""

    status: int
    output: str
    grades: Path
    files: dict[str, str] = field(default_factory=dict)

    @property
    def commands(self) -> list[Command]:
        return Runner().read(self.output).commands


def workflow_of(folder: Path, *options: object) -> tuple[dict[Any, Any], dict[str, dict[str, Any]]]:
    """(the workflow that `grade export github` writes into the folder, its steps by their names)"""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: the workflow cannot be read")
    grade("export", "github", folder, *options)
    found: dict[Any, Any] = yaml.safe_load((folder / ".github" / "workflows" / "grade.yml").read_text())
    (job,) = found["jobs"].values()
    return found, {step.get("name") or step["uses"]: step for step in job["steps"]}


@pytest.fixture(scope="module")
def workflow(course: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[Any, Any], dict[str, Any]]:
    return workflow_of(tmp_path_factory.mktemp("c"), "--course", course, "--lesson", "4", "--fail-under", "50")


@pytest.fixture(scope="module")
def job(workflow: tuple[Any, dict[str, Any]], course: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """The workflow's shell steps in a student's repository, except for those that install what is installed here."""
    work = tmp_path_factory.mktemp("work")
    repository, temporary = work / "hw-ada", work / "_temp"
    (repository / "exercises" / LESSON).mkdir(parents=True)
    (repository / "exercises" / LESSON / "backward.py").write_text(WRONG)
    for name in ("torch.py", "grader.py", "conftest.py"):  # the job's folder is a student's repository
        (repository / name).write_text("raise SystemExit('imported')\n")
    shutil.copytree(course, repository / ".course")
    (temporary / "venv" / "bin").mkdir(parents=True)
    python = temporary / "venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    files = {name: temporary / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    about = {"GITHUB_WORKSPACE": str(repository), "RUNNER_TEMP": str(temporary), "PYTHONPATH": str(ROOT)}
    about |= {"CI": "true", "GITHUB_ACTIONS": "true"} | {name: str(path) for name, path in files.items()}
    for path in files.values():
        path.touch()
    status, output = 0, ""
    for name in ("The course, out of the student's folder", "Grade"):
        script = temporary / "step.sh"
        script.write_text(workflow[1][name]["run"])
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        status, said = run(command, repository, {**os.environ, **about})
        output += said
    return Job(status, output, temporary / "grades", {name: path.read_text() for name, path in files.items()})


def run(
    command: list[Any], folder: Path, environment: dict[str, str], seconds: float = GUARD_SECONDS
) -> tuple[int, str]:
    """(exit status, all that it printed)"""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(command, cwd=folder, env=environment, timeout=seconds, **pipes)
    return done.returncode, done.stdout


def test_the_workflow_is_one(workflow):
    found, steps = workflow
    assert found["name"] == "Autograding Tests"
    assert found[True] == ["push", "workflow_dispatch"]  # YAML 1.1 takes `on` for a truth value
    assert found["permissions"] == {"contents": "read"}
    for step in steps.values():
        assert ("uses" in step) != ("run" in step)
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False
    secret = [name for name, step in steps.items() if "secrets." in json.dumps(step)]
    assert secret == ["The course"], "the key is given to the step that needs it and no other"
    report = steps["The report (not results.json, which has the seed of the hidden problems)"]
    assert "results.json" not in report["with"]["path"]
    actions = {step["uses"].partition("@")[0] for step in steps.values() if "uses" in step}
    assert actions == {f"actions/{name}" for name in ("cache", "checkout", "setup-python", "upload-artifact")}


@pytest.mark.parametrize("public", [False, True])
def test_nothing_is_installed_on_a_push_like_the_last(course, tmp_path, public):
    _, names = workflow_of(tmp_path, "--course", course, *(["--public"] if public else []))
    (cache,) = (step for step in names.values() if step.get("uses", "").startswith("actions/cache@"))
    (install,) = (step for name, step in names.items() if name.startswith("Install"))
    assert install["if"] == f"steps.{cache['id']}.outputs.cache-hit != 'true'"
    assert cache["with"]["path"] == "${{ runner.temp }}/venv" and "$RUNNER_TEMP/venv" in install["run"]
    assert "steps.python.outputs.python-version" in cache["with"]["key"]
    assert "https://download.pytorch.org/whl/cpu" in install["run"], "not the libraries for GPUs"
    if not public:  # the answers and the hidden suites are not installed
        installed = "git ls-tree HEAD grader templates pyproject.toml constraints.txt"
        assert installed in names["What the grader needs"]["run"]
    assert tokens_in(tmp_path) == {}


def test_the_job_fails_under_its_bound_and_points_at_the_line(job):
    """Nothing that the student printed is obeyed. The job's summary is the report."""
    assert job.status == 1, job.output
    assert [command.name for command in job.commands] == ["error"] * len(job.commands)
    why, what = job.commands[:2]
    assert why.properties == {"title": "Under 50 %"}
    assert why.data.endswith("of 3 points, and this job needs 50 %. The job's summary says what to do next.")
    assert (what.properties["file"], what.properties.get("line")) == (f"exercises/{LESSON}/backward.py", "8")
    assert what.properties["title"] == "dlogits: wrong value"
    assert "Under 50 %: hw-ada" in job.output
    assert not {"printed", "mine", "/tmp"} & {command.data for command in job.commands}
    summary = job.files["GITHUB_STEP_SUMMARY"]
    assert "::error file=a,line=1::printed" not in summary.splitlines()
    assert summary == (job.grades / "hw-ada" / "report.md").read_text()


def test_a_public_workflow_needs_no_secret(course, tmp_path):
    grade("export", "github", tmp_path, "--course", course, "--public")
    text = (tmp_path / ".github" / "workflows" / "grade.yml").read_text()
    assert "secrets." not in text and "vars." not in text and "solutions" not in text
    assert f"grader.commands.start_dojo check {LESSON}\n" in text
    done = CliRunner().invoke(cli.main, ["export", "github", str(tmp_path), "--course", str(course)])
    assert done.exit_code == 2 and "is there already: delete it first" in done.stderr


# Gradescope ----------------------------------------------------------------------------------------------------------

METADATA = {
    "id": 123456,
    "created_at": "2026-11-21T14:22:32.365935-08:00",
    "assignment": {"id": 25828, "title": "Lesson 04", "total_points": "3.0", "group_size": None},
    "submission_method": "upload",
    "users": [{"email": "ada@example.org", "id": 1234, "name": "Ada ##[error]\n::error::Okafor"}],
    "previous_submissions": [],
}


@pytest.fixture(scope="module")
def built(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """/autograder as after the image was built: the zip in source/, and in venv/ what setup.sh installs."""
    root = tmp_path_factory.mktemp("gradescope") / "autograder"
    grade("export", "gradescope", "--course", course, "--lesson", "4", "-o", root.parent / "autograder.zip")
    with zipfile.ZipFile(root.parent / "autograder.zip") as archive:
        archive.extractall(root / "source")
        executable = [each.filename for each in archive.infolist() if each.external_attr >> 16 & 0o111]
    assert sorted(executable) == ["run_autograder", "setup.sh"]
    shutil.copy(root / "source" / "run_autograder", root)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", root / "venv"], check=True)
    (packages,) = (root / "venv").glob("lib/python3*/site-packages")
    (packages / "here.pth").write_text("\n".join(site.getsitepackages()) + "\n")  # torch: not installed anew
    shutil.copytree(root / "source" / "engine" / "grader", packages / "grader")
    for path in (root / "source", *(root / "source").rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return root


def run_autograder(root: Path, source: str | None, metadata: object = METADATA) -> str:
    """As Gradescope's harness does it: the submission and its metadata in place, /autograder the current folder."""
    for name in ("submission", "results"):
        shutil.rmtree(root / name, ignore_errors=True)
        (root / name).mkdir()
    if source is not None:
        (root / "submission" / "backward.py").write_text(source)
    (root / "submission_metadata.json").write_text(json.dumps(metadata))
    environment = {**os.environ, "AUTOGRADER": str(root)}
    environment.pop("PYTHONPATH", None)
    status, said = run(["bash", str(root / "run_autograder")], root, environment)
    assert status == 0, said
    return said


def checked(root: Path) -> dict[str, Any]:
    """results.json, once it is what Gradescope's specification has."""
    found: dict[str, Any] = json.loads((root / "results" / "results.json").read_text())
    known = {"score", "execution_time", "output", "output_format", "visibility", "stdout_visibility", "tests"}
    assert set(found) == known
    for test in found["tests"]:
        assert set(test) == {"name", "number", "score", "max_score", "status", "output", "output_format"}
        assert test["status"] in ("passed", "failed") and test["output_format"] == "text"
        assert 0 <= test["score"] <= test["max_score"]
    assert found["score"] == sum(test["score"] for test in found["tests"])
    return found


@pytest.fixture(scope="module")
def prying(built: Path) -> tuple[dict[str, Any], str]:
    said = run_autograder(built, PRYING.replace("@ROOT@", str(built)))
    return checked(built), said


@pytest.mark.full
def test_a_submission_is_graded_and_reads_no_secret_and_writes_no_result(prying):
    found, said = prying
    assert (found["score"], found["visibility"], found["stdout_visibility"]) == (0, "visible", "hidden")
    assert [(test["name"], test["number"], test["status"], test["max_score"]) for test in found["tests"]] == [
        (f"{LESSON}: dlogits", "04.1", "failed", 2),
        (f"{LESSON}: in_one_go", "04.2", "failed", 1),
    ]
    line = PRYING.splitlines().index('    raise ValueError("".join(found)[:100_000])') + 1
    assert found["tests"][0]["output"].startswith(f"Error (backward.py, line {line})\n")
    assert "ValueError" in found["tests"][0]["output"], "it looked, and reported what it found"
    assert re.fullmatch(r"Ada ##\[error\] ::error::Okafor: 0 of 3; isolation \w+\.\n", said)
    assert MARK not in json.dumps(found) + said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "expected 04_cross_entropy/backward.py"),
        ("def f(:\n", "invalid syntax"),
        (WRONG, "Wrong value (backward.py, line 8)"),
    ],
)
def test_any_submission_is_a_result(built, source, message):
    run_autograder(built, source)
    found = checked(built)
    assert found["score"] == 0 and message in json.dumps(found)


@pytest.mark.parametrize("status", [FAULT, UNUSABLE])
def test_a_fault_and_too_little_isolation_are_no_zero(built, tmp_path, monkeypatch, capsys, status):
    """Nothing is written: Gradescope then says that the autograder failed, and instructors read why."""
    shutil.copytree(built / "source", tmp_path / "source")
    monkeypatch.setattr(autograder.subprocess, "run", lambda command: SimpleNamespace(returncode=status))
    assert autograder.main([str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "nothing is known about people and times: submission_metadata.json cannot be read" in said
    assert f"no score, because `grade run` ended with status {status}" in said and not (tmp_path / "results").exists()


def test_all_that_gradescope_knows_reaches_the_run(tmp_path):
    """A group's members, a name that spreads over lines, the time, and whose due date is later."""
    due, own = ({"due_date": f"2026-11-{day}T23:59:00-08:00"} for day in (20, 22))
    users = [{**METADATA["users"][0], "sid": "007"}, {"name": "Bo", "email": None, "assignment": own}]
    (tmp_path / "m.json").write_text(json.dumps({**METADATA, "users": users, "assignment": due}))
    ada = "Ada ##[error] ::error::Okafor"
    found = autograder.metadata_tables(tmp_path / "m.json", True)
    assert {name: rows[1:] for name, rows in found.items()} == {
        "roster": [[ada, "007", "ada@example.org", "submission", "submission"], ["Bo", "", "", "submission", ""]],
        "times": [[name, "2026-11-21T14:22:32.365935-08:00", "no"] for name in (ada, "Bo")],
        "extensions": [["Bo", "2026-11-22T23:59:00-08:00"]],
    }


HOMEWORK = """
title = "Homework 2"
rows = [{rows = "04.dlogits", points = 8}, {rows = "04.in_one_go", points = 4}]
due = 2026-11-20T23:59:00
timezone = "America/Los_Angeles"
[late]
percent_per_day = 25
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("late", "days", "options", "score", "maximum", "says"),
    [
        ("", (20, 20), (), 9, 12, "That cost 3 points."),
        ("", (20, 20), ("--max", "24"), 18, 24, "18 of 24 points."),
        ("", (20, 22), (), 12, 12, "Your own due date: Sunday 22 November 2026"),
        ("", (22, 22), (), 9, 12, "By the platform's record this work was on time; by the due date of this assignment"),
        ("free_days = 1", (20, 20), (), 12, 12, "That cost no points."),
    ],
)
def test_the_autograder_has_the_assignment(course, built, tmp_path, late, days, options, score, maximum, says):
    """Everything is right, and a day late."""
    (tmp_path / "hw2.toml").write_text(HOMEWORK + late, encoding="utf-8")
    archive, root = tmp_path / "autograder.zip", tmp_path / "autograder"
    shutil.copytree(built, root, symlinks=True)
    grade("export", "gradescope", "--course", course, "--assignment", tmp_path / "hw2.toml", "-o", archive, *options)
    with zipfile.ZipFile(archive) as made:
        (root / "source" / "settings.json").write_bytes(made.read("settings.json"))
    general, own = ({"due_date": f"2026-11-{day}T23:59:00-08:00"} for day in days)  # on Gradescope
    users = [{**METADATA["users"][0], "assignment": own}]
    metadata = {**METADATA, "users": users, "assignment": {**METADATA["assignment"], **general}}
    run_autograder(root, RIGHT, metadata)
    found = json.loads((root / "results" / "results.json").read_text())
    assert (found["score"], sum(test["max_score"] for test in found["tests"])) == (score, maximum)
    assert says in found["output"] and "Assignment: Homework 2." in found["output"]


def test_a_workflow_grades_by_the_assignment_in_the_course(course, tmp_path):
    file, elsewhere = course / "exercises" / "hw 2.toml", tmp_path / "hw2.toml"
    file.write_text(HOMEWORK, encoding="utf-8")
    try:
        grade("export", "github", tmp_path, "--course", course, "--assignment", file)
        text = (tmp_path / ".github" / "workflows" / "grade.yml").read_text()
        assert """ --assignment "$RUNNER_TEMP/course/"'exercises/hw 2.toml' --out""" in text and "--lesson" not in text
    finally:
        file.rename(elsewhere)
    arguments = ["export", "github", tmp_path, "--course", course, "--assignment", elsewhere]
    refused = CliRunner().invoke(cli.main, list(map(str, arguments)))
    assert refused.exit_code == 2 and "is not in the course" in refused.stderr


def test_the_scripts_are_shell():
    for name in ("setup.sh", "run_autograder"):
        subprocess.run(["bash", "-n", ROOT / "templates" / "export" / name], check=True)


@pytest.mark.slow
def test_setup_installs_what_run_autograder_needs(built, tmp_path):
    """The real setup.sh: a new environment with PyTorch, which takes minutes."""
    root = tmp_path / "autograder"
    root.mkdir()
    with zipfile.ZipFile(built.parent / "autograder.zip") as archive:
        archive.extractall(root / "source")
    shutil.copy(root / "source" / "run_autograder", root)
    environment = {**os.environ, "AUTOGRADER": str(root)}
    status, said = run(["bash", root / "source" / "setup.sh"], root, environment, 3000)  # a guard: it takes two minutes
    assert status == 0, said
    assert "isolation " in said
    assert (root / "source").stat().st_mode & 0o077 == 0
    run_autograder(root, WRONG)
    assert checked(root)["score"] == 0


# No secret anywhere --------------------------------------------------------------------------------------------------


def contents(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """(where, bytes) of a file, of what is packed in it, and of what is written in base64 in it."""
    yield name, data
    if zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for inside in archive.namelist():
                yield from contents(f"{name}/{inside}", archive.read(inside))
    for found in re.findall(rb"[A-Za-z0-9+/]{40,}={0,2}", data):
        try:
            yield f"{name} (base64)", base64.b64decode(found + b"=" * (-len(found) % 4))
        except binascii.Error:
            continue


def tokens_in(path: Path) -> dict[str, set[str]]:
    """{where: tokens} in a file or in all files of a folder, gradebook and all."""
    paths = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    found: dict[str, set[str]] = {}
    for each in paths:
        for where, data in contents(each.name, each.read_bytes()):
            if tokens := set(re.findall(rb"zqtoken_\w+", data)):
                found.setdefault(where, set()).update(token.decode() for token in tokens)
    return found


def test_the_search_finds_what_is_there(course, built, tmp_path):
    """Else the next tests could not fail: autograder.zip has all of it, and so has base64 of a file."""
    lesson = Course(course).find("04")  # a suite that does not run would tell nothing
    assert any(MARK in mistake.id for mistake in lesson.mistakes)
    assert f"{MARK}_suite_text" in lesson.suite.read_text()
    planted_here = set().union(*tokens_in(course).values())
    assert len(planted_here) >= 15
    assert set().union(*tokens_in(built.parent / "autograder.zip").values()) == planted_here
    answer = (course / "solutions" / LESSON / "backward.py").read_bytes()
    (tmp_path / "hidden").write_bytes(b"result=" + base64.b64encode(answer))
    assert len(tokens_in(tmp_path)["hidden (base64)"]) == 3


@pytest.mark.full
def test_no_token_is_in_the_release(course, tmp_path):
    grade("release", tmp_path / "kit", "--course", course)
    assert (tmp_path / "kit.zip").is_file()
    assert tokens_in(tmp_path) == {}


def test_neither_token_nor_seed_is_in_what_is_graded_and_shown(job):
    """Reports, gradebook, class page, CSV, the other formats, GitHub's files and the job's log.

    results.json and the gradebook have the seed. They are the instructor's: no workflow uploads them.
    """
    write_formats(job.grades, ["hw-ada"], ["gradescope", "junit"])
    files = [path for path in job.grades.rglob("*") if path.is_file()]
    exported = {"results.json", "report.html", "report.md", "gradescope.json", "junit.xml", "index.html", "grades.csv"}
    assert exported <= {path.name for path in files}
    assert tokens_in(job.grades) == {}
    seed = str(json.loads((job.grades / "hw-ada" / "results.json").read_text())["seed"]).encode()
    holding = {path.name for path in files if seed in path.read_bytes() and ".sqlite" not in path.name}
    assert holding == {"results.json"}
    for name, text in {**job.files, "log": job.output}.items():
        for _, data in contents(name, text.encode()):
            assert MARK.encode() not in data and seed not in data, name
