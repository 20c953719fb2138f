"""Members of tests/corpus/in_the_wild: what must come of each, and its text as a student submits it."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import CORPUS, solution_of

from bench.members import Member, members_of
from grader.lesson.lesson import Course

FOLDER = CORPUS / "in_the_wild"
MEMBERS = [(path.stem, member) for path in sorted(FOLDER.glob("*.py")) for member in members_of(path)]
"""(its class, the member)"""
LECTURE = CORPUS / "notebooks" / "colab_as_in_the_lecture.ipynb"
PIECE = re.compile(r"^# instead of: (.+)\n", re.MULTILINE)
MAGIC = re.compile(r"^[%!].*\n?", re.MULTILINE)  # what a script does not hold
CELL = re.compile(r"^# %%.*\n", re.MULTILINE)
STATUSES = {"passed", "failed", "shape", "error", "todo", "missing", "timeout", "forbidden", "any"}


@dataclass
class Submitted:
    """A member of the corpus. `rows` is {row's name: (status, what its message must be or hold)}."""

    lesson: str = ""
    kind: str = "functions"
    by: str = "grade"
    printed: list[str] = field(default_factory=list)
    alone: bool = False
    keeps: list[str] = field(default_factory=list)
    course: list[str] = field(default_factory=list)
    counts: str = ""
    rows: dict[str, tuple[str, str]] = field(default_factory=dict)
    text: str = ""


def shared(name: str) -> str:
    return (FOLDER / "shared" / f"{name}.py").read_text(encoding="utf-8")


def submitted(of: Member) -> Submitted:
    member = Submitted(text=of.own)
    for key, value in of.keys:
        match key:
            case "lesson":
                member.lesson = value
            case "as":
                member.kind = value
            case "alone":
                member.alone = value == "yes"
            case "keeps":
                member.keeps = [beginning.strip() for beginning in value.split(" | ")]
            case "base":
                (member.text,) = changed([shared(value)], member.text)
            case "engine":
                member.text = with_methods(shared(value), member.text)
            case "by":
                assert value in ("grade", "dojo", "both"), of.name
                member.by = value
            case "printed":
                member.printed.append(value)
            case "counts":
                member.counts = value
            case "course":
                member.course.append(value)
            case _:
                status, _, message = (part.strip() for part in value.partition("|"))
                assert status in STATUSES, f"{of.name}: {status!r} is no status"
                member.rows |= dict.fromkeys(key.split(", "), (status, message))
    assert member.lesson and member.kind in ("functions", "notebook", "script"), of.name
    member.rows.setdefault("others", ("passed", ""))
    return member


def methods_of(text: str) -> dict[str, tuple[int, list[str]]]:
    """{method: (its place among the lines, its own lines)} of the one class in a text."""
    (definition,) = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    methods, lines = (node for node in definition.body if isinstance(node, ast.FunctionDef)), text.split("\n")
    return {node.name: (node.lineno - 1, lines[node.lineno - 1 : node.end_lineno]) for node in methods}


def with_methods(engine: str, text: str) -> str:
    """The engine with the methods of the class in `text`; those that it does not have come at its end."""
    lines, own, other = engine.rstrip().split("\n"), methods_of(engine), methods_of(text)
    new = [line for name, (_, added) in other.items() if name not in own for line in ("", *added)]
    for name, (place, replaced) in sorted(own.items(), key=lambda item: item[1][0], reverse=True):
        if name in other:
            lines[place : place + len(replaced)] = other[name][1]
    return "\n".join([*lines, *new, ""])


# From a member to what a student hands in ----------------------------------------------------------------------------


def lecture_cells() -> list[str]:
    cells = json.loads(LECTURE.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def kept_cells(beginnings: list[str]) -> list[str]:
    """The lecture's cells that begin so, each of them one cell."""
    kept = []
    for beginning in beginnings:
        found = [cell for cell in lecture_cells() if cell.startswith(beginning)]
        assert len(found) == 1, f"{beginning!r} begins {len(found)} cells of the notebook; expected one"
        kept += found
    return kept


def changed(cells: list[str], text: str) -> list[str]:
    """The cells with each piece of `text` in the place of the one line that begins as it says."""
    lines = [(number, line) for number, cell in enumerate(cells) for line in cell.split("\n")]
    _, *pieces = PIECE.split(text)
    for beginning, piece in zip(pieces[::2], pieces[1::2], strict=True):
        places = [at for at, (_, line) in enumerate(lines) if line.strip().startswith(beginning.strip())]
        assert len(places) == 1, f"{beginning!r} begins {len(places)} lines of the notebook; expected one"
        number, line = lines[places[0]]
        indentation = line[: len(line) - len(line.lstrip())]
        lines[places[0]] = (number, "\n".join(indentation + each for each in piece.strip("\n").split("\n")))
    return ["\n".join(line for at, line in lines if at == number) for number in range(len(cells))]


def as_notebook(cells: list[str]) -> str:
    empty: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    code = [{**empty, "source": cell} for cell in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": code})


def write_submission(member: Submitted, course: Course, folder: Path) -> Path:
    """Writes what the student hands in."""
    if member.kind == "functions":
        lesson = course.find(member.lesson)
        path = folder / lesson.name / "backward.py"
        (solution,) = changed([solution_of(lesson)], member.text)
        text = member.text if member.alone else f"{solution}\n\n{PIECE.split(member.text)[0]}"
    else:
        own = member.alone or member.keeps
        cells = kept_cells(member.keeps) + CELL.split(member.text) if own else changed(lecture_cells(), member.text)
        notebook = member.kind == "notebook"
        cells = [cell if notebook else MAGIC.sub("", cell) for cell in cells if cell.strip()]
        path = folder / ("mine.ipynb" if notebook else "mine.py")
        text = as_notebook(cells) if notebook else "\n\n".join(cells)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path.parent if member.kind == "functions" else path
