"""Tests of this kit. They do not read what you have written: `dojo check` does."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

KIT = Path(__file__).resolve().parent.parent
LESSONS = sorted(path.parent for path in (KIT / "exercises").glob("*/lesson.toml"))
DOJO = [sys.executable, "-m", "grader.commands.start_dojo"]

FORWARD = """
import torch


def inputs(generator, rows=4):
    return {"x": torch.randn((rows, 3), generator=generator), "w": torch.randn((rows, 3), generator=generator)}


def forward(t):
    t.scaled = t.x * t.w
    t.loss = t.scaled.sum()
"""
LESSON = 'title = "A small one"\n[gradients.dx]\nhints = []\n'


def dojo(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(KIT), "NO_COLOR": "1"}
    return subprocess.run([*DOJO, *arguments], capture_output=True, text=True, cwd=cwd, env=environment, timeout=120)


def a_course(folder: Path, answer: str) -> Path:
    lesson = folder / "exercises" / "01_small"
    lesson.mkdir(parents=True)
    (lesson / "lesson.toml").write_text(LESSON)
    (lesson / "forward.py").write_text(FORWARD)
    (lesson / "backward.py").write_text(f"def dx(dscaled, w):\n    return {answer}\n")
    return folder


def test_there_are_lessons():
    assert LESSONS


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.name)
def test_a_stub_is_python_and_answers_nothing(lesson):
    tree = ast.parse((lesson / ".stub").read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert any(isinstance(node, ast.Raise) for function in functions for node in function.body)


@pytest.mark.parametrize("path", sorted((KIT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_can_be_read(path):
    assert json.loads(path.read_text(encoding="utf-8"))["nbformat"] == 4


def test_an_untouched_stub_is_to_do_and_not_wrong(tmp_path):
    lesson = LESSONS[0]
    copy = tmp_path / "exercises" / lesson.name
    shutil.copytree(lesson, copy)
    shutil.copy(copy / ".stub", copy / "backward.py")
    checked = dojo("check", lesson.name, cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "to do" in checked.stdout


@pytest.mark.parametrize(("answer", "status"), [("dscaled * w", 0), ("-dscaled * w", 1)])
def test_a_right_answer_is_told_from_a_wrong_one(tmp_path, answer, status):
    checked = dojo("check", "01", "--course", ".", cwd=a_course(tmp_path, answer))
    assert checked.returncode == status, checked.stdout + checked.stderr
