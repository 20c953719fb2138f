"""A lesson's stub as a Jupyter notebook (nbformat 4.5): each function in a cell of its own."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import Any

from grader.lesson.lesson import Lesson

DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def notebook_of(lesson: Lesson, stub: str, name: str) -> bytes:
    """The notebook's file. `stub` is the lesson's, `name` what the notebook is called in the kit."""
    introduction = ast.get_docstring(ast.parse(stub)) or lesson.title
    cells = [
        text_cell(f"# {lesson.title}\n\n{introduction}"),
        text_cell(
            f"The forward pass and the explanations are in `exercises/{lesson.name}/`. Fill in the functions below, "
            f"save the notebook, and check it in a terminal with\n\n    dojo check {name} {lesson.number}"
        ),
        *map(code_cell, code_parts(stub)),
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
        if isinstance(node, DEFINITIONS) or isinstance(following, DEFINITIONS) or following is None:
            end = len(lines) if following is None else (node.end_lineno or node.lineno)
            yield "\n".join(lines[begin:end]).strip("\n")
            begin = end


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
