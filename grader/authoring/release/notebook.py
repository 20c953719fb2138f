"""A lesson's stub as a Jupyter notebook (nbformat 4.5): each function in a cell of its own."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import Any

from grader.lesson.lesson import Lesson

NOTEBOOK_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


SET_UP = """\
# In Colab, upload the kit's zip first (the folder symbol on the left). Where the kit is installed, this loads %%check.
import importlib.util, os, subprocess, sys, zipfile
from pathlib import Path

kits = {}  # zip: its folder
for path in filter(zipfile.is_zipfile, sorted(Path(".").glob("*.zip"), key=os.path.getmtime)):
    folders = [name.partition("/exercises/")[0] for name in zipfile.ZipFile(path).namelist() if "/exercises/" in name]
    kits |= {path: Path(folders[0])} if folders else {}
if importlib.util.find_spec("grader") is None:
    if not kits:
        raise SystemExit("Upload the kit's zip next to this notebook, and run this cell again.")
    path, folder = list(kits.items())[-1]
    zipfile.ZipFile(path).extractall(".")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", f"./{folder}"], check=True)
for folder in filter(Path.is_dir, kits.values()):  # also after a restart, when it is installed already
    os.chdir(folder)
    break
%load_ext grader
"""


def notebook_of(lesson: Lesson, stub: str, name: str) -> bytes:
    """The notebook's file. `stub` is the lesson's, `name` what the notebook is called in the kit."""
    introduction = ast.get_docstring(ast.parse(stub)) or lesson.title
    cells = [
        text_cell(f"# {lesson.title}\n\n{introduction}"),
        text_cell(
            f"The forward pass and the explanations are in `exercises/{lesson.name}/`. Run the next cell, then fill in "
            "the functions below. `%%check` above a function says whether it is right, whenever you run its cell. In "
            f"a terminal, `dojo check {name} {lesson.number}` checks all of them."
        ),
        code_cell(SET_UP),
        *(code_cell(checked_cell(lesson, part)) for part in code_parts(stub)),
    ]
    for number, cell in enumerate(cells, 1):
        cell["id"] = f"cell-{number}"
    notebook = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()


def code_parts(stub: str) -> Iterator[str]:
    """The stub without its docstring: each function or class with the comments above it, and what is between them."""
    lines = stub.splitlines()
    body = ast.parse(stub).body
    if ast.get_docstring(ast.Module(body, [])) is not None:
        body = body[1:]
    begin = (body[0].lineno - 1) if body else 0
    for node, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, NOTEBOOK_DEFINITIONS) or isinstance(following, NOTEBOOK_DEFINITIONS) or following is None:
            end = len(lines) if following is None else (node.end_lineno or node.lineno)
            yield "\n".join(lines[begin:end]).strip("\n")
            begin = end


def checked_cell(lesson: Lesson, part: str) -> str:
    """A part of the stub with `%%check` above it, if it is a function or a class that has rows."""
    names = [node.name for node in ast.parse(part).body if isinstance(node, NOTEBOOK_DEFINITIONS)]
    rows = [name for name in names if name in lesson.functions]
    return f"%%check {lesson.number}.{rows[0]}\n{part}" if rows else part


def text_cell(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def code_cell(text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text.splitlines(keepends=True),
    }
