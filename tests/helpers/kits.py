"""A student's kit, exercises/ without solutions/, and files that students may have written in it."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from support import ROOT

from grader.dojo.check import LocalJudge
from grader.dojo.desk import Desk
from grader.dojo.file import read_own
from grader.dojo.progress import Checked
from grader.lesson.lesson import Course

LESSONS = ("03_makemore_steps", "04_cross_entropy", "06_embedding_net")


def make_kit(place: Path, lessons: tuple[str, ...] = LESSONS) -> Path:
    for name in lessons:
        shutil.copytree(
            ROOT / "exercises" / name, place / "exercises" / name, ignore=shutil.ignore_patterns("__pycache__", "*.md")
        )
        shutil.copy(place / "exercises" / name / ".stub", place / "exercises" / name / "backward.py")
    return place


def file_of(kit: Path, number: str = "03") -> Path:
    return next((kit / "exercises").glob(f"{number}_*")) / "backward.py"


def replace(path: Path, text: str) -> None:
    """Saves as many editors do: beside it, then renamed. Who reads in between reads one of the two."""
    beside = path.with_name(path.name + "~")
    beside.write_text(text)
    os.replace(beside, path)


def line_of(kit: Path, number: str, name: str) -> int:
    tree = ast.parse(file_of(kit, number).read_text(encoding="utf-8"))
    return next(node.lineno for node in tree.body if getattr(node, "name", None) == name)


def solved(number: str, *names: str) -> str:
    """A lesson's stub with the answers to `names` in it."""
    lesson = Course(ROOT).find(number)
    stub = lesson.pristine.read_text(encoding="utf-8")
    answers = functions_of((lesson.solution / "backward.py").read_text(encoding="utf-8"))
    for name, text in functions_of(stub).items():
        if name in names:
            answer = re.sub(r" *# </?answer>\n", "", answers[name] + "\n").rstrip("\n")
            stub = stub.replace(text, answer)
    return stub


def functions_of(source: str) -> dict[str, str]:
    nodes = [node for node in ast.parse(source).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    return {node.name: ast.get_source_segment(source, node) or "" for node in nodes}


def checked_file(judge: LocalJudge, kit: Path, number: str, text: str) -> Checked:
    """What a check of this text as the lesson's file finds."""
    file_of(kit, number).write_text(text)
    lesson = Desk(kit, print).course.find(number)
    return Checked(lesson, read_own(lesson), judge.judge(lesson, read_own(lesson)), 0.1)


def bare_environment(place: Path) -> Path:
    """An environment's python, which sees the packages installed here, but not this project."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    (packages,) = place.glob("lib/python3*/site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "here.pth").write_text("\n".join(here) + "\n")
    return place / "bin" / "python"
