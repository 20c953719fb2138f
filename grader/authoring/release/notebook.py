"""A lesson's stub as a Jupyter notebook (nbformat 4.5): each function in a cell of its own."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import Any

from grader.lesson.lesson import Lesson
from grader.publish.templates import text_templates

DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def notebook_of(lesson: Lesson, stub: str, name: str) -> bytes:
    """The notebook's file. `stub` is the lesson's, `name` what the notebook is called in the kit."""
    introduction = ast.get_docstring(ast.parse(stub)) or lesson.title
    texts = [
        f"# {lesson.title}\n\n{introduction}",
        f"The forward pass and the explanations are in `exercises/{lesson.name}/`. Run the next cell, then fill in "
        "the functions below. `%%check` above a function says whether it is right, whenever you run its cell. In "
        f"a terminal, `dojo check {name} {lesson.number}` checks all of them.",
    ]
    set_up = text_templates("kit_notebook").get_template("set_up.txt").render()
    cells: list[dict[str, Any]] = [{"cell_type": "markdown", "source": text} for text in texts]
    for text in (set_up, *code_cells(lesson, stub)):
        cells.append({"cell_type": "code", "execution_count": None, "outputs": [], "source": text})
    for number, cell in enumerate(cells, 1):
        cell |= {"id": f"cell-{number}", "metadata": {}, "source": cell["source"].splitlines(keepends=True)}
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


def code_cells(lesson: Lesson, stub: str) -> Iterator[str]:
    """The stub without its docstring: each function or class with the comments above it, and what is between them.

    One that has rows is below `%%check`.
    """
    lines, body = stub.splitlines(), ast.parse(stub).body
    if ast.get_docstring(ast.Module(body, [])) is not None:
        body = body[1:]
    begin = body[0].lineno - 1 if body else 0
    for node, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, DEFINITIONS) or isinstance(following, DEFINITIONS) or following is None:
            end = len(lines) if following is None else (node.end_lineno or node.lineno)
            if isinstance(node, DEFINITIONS) and node.name in lesson.functions:
                yield f"%%check {lesson.number}.{node.name}\n" + "\n".join(lines[begin:end]).strip("\n")
            else:
                yield "\n".join(lines[begin:end]).strip("\n")
            begin = end
