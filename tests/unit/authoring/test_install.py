"""What is installed elsewhere: the wheel, the Docker image's files. The kit: tests/unit/dojo/test_notebook.py."""

from __future__ import annotations

import fnmatch
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from kits import bare_environment
from support import ROOT

from grader.authoring.release.engine import engine_files
from grader.authoring.release.leaks import distribution_files, leaks, secrets_of
from grader.lesson.lesson import Course

DOCKERFILE = (ROOT / "Dockerfile").read_text()
COPIED = [name for line in re.findall(r"^COPY (.*) \S+$", DOCKERFILE, re.MULTILINE) for name in line.split()]


def run(*command: object, cwd: Path) -> str:
    # a guard: an installation takes two minutes
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_image_copies_what_is_there_and_no_secret():
    """The image itself cannot be built without a registry."""
    assert COPIED == ["pyproject.toml", "constraints.txt", "README.md", "LICENSE", "grader", "templates"]
    assert all((ROOT / name).exists() for name in COPIED)
    ignored = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert ignored[0] == "*" and {line[1:] for line in ignored if line.startswith("!")} == set(COPIED)
    assert not any(fnmatch.fnmatch("solutions", line[1:]) for line in ignored if line.startswith("!"))


@pytest.mark.slow
def test_the_wheel_is_enough_for_a_student_an_instructor_and_an_author(tmp_path):
    """Built as `make wheel` does; hatchling needs the network: pytest tests/unit/authoring/test_install.py -m slow"""
    source = tmp_path / "source"
    kept = shutil.ignore_patterns(".venv", ".git", "tests", "bench", "__pycache__", "grades", "dist")
    shutil.copytree(ROOT, source, ignore=kept)
    written = source / "exercises" / "03_makemore_steps" / "backward.py"
    written.write_text((ROOT / "solutions" / "03_makemore_steps" / "backward.py").read_text())
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path / "dist", source, cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    found = leaks(distribution_files(wheel), secrets_of(Course(ROOT)))
    assert found == []  # what a maintainer wrote in backward.py is not in it
    python = bare_environment(tmp_path / "venv")
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", wheel, cwd=tmp_path)
    home, commands = tmp_path / "home", tmp_path / "venv" / "bin"
    home.mkdir()
    assert "cd backprop-ninja\n    dojo\n" in run(commands / "dojo", "start", cwd=home)
    work = home / "backprop-ninja"
    assert run(commands / "dojo", cwd=work).startswith("Backprop Ninja: 0 of ")
    own = work / "exercises" / "03_makemore_steps" / "backward.py"
    own.write_text(own.read_text().replace("raise NotImplementedError", "return -dlogprobs", 1))
    assert "25 to do" in run(commands / "dojo", "check", "03.dlogits", cwd=work)
    assert not {"solutions", "grader"} & {path.name for path in work.iterdir()}
    lesson = ["--course", ROOT, "--lesson", "04"]
    graded = run(commands / "grade", "run", ROOT / "examples/submissions", *lesson, "-o", "grades", cwd=home)
    assert "The class:    grades/index.html" in graded and (home / "grades" / "grades.csv").is_file()
    run(commands / "grade", "release", "kit", *lesson, cwd=home)
    run(commands / "grade", "export", "gradescope", *lesson, cwd=home)
    with zipfile.ZipFile(home / "autograder.zip") as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    for name, content in engine_files().items():  # it hands on the same engine as a checkout
        assert packed[f"engine/{name}"] == (home / "kit" / name).read_bytes() == content, name
