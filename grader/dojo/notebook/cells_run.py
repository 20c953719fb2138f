"""The cells that were run in a session, as a notebook that the grader can read."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass

from grader.source.syntax import FunctionDefinition


@dataclass(frozen=True)
class RunCell:
    """`key` is what a later run of the same cell has too; `number` is the one in `In [number]`."""

    key: object
    number: int
    text: str


class CellsRun:
    """Keeps the latest run of every cell. A cell that defines the same names as an earlier one replaces it."""

    def __init__(self) -> None:
        self._cells: list[RunCell] = []

    def add(self, text: str, number: int, identity: str | None = None) -> None:
        """`identity` is the front end's name of the cell, where it gives one."""
        defined = names_defined(text)
        key: object = identity or defined or text
        kept = [
            each for each in self._cells if each.key != key and (not defined or names_defined(each.text) != defined)
        ]
        self._cells = [*kept, RunCell(key, number, text)]

    def as_notebook(self) -> bytes:
        """Cell number n is the cell that was run as `In [n]`."""
        last = max((each.number for each in self._cells), default=0)
        texts = dict.fromkeys(range(1, last + 1), "") | {each.number: each.text for each in self._cells}
        cells = [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": number, "source": text}
            for number, text in texts.items()
        ]
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode()


def names_defined(text: str) -> frozenset[str]:
    """The functions and classes of a cell, and the gradients that it assigns; empty for one that Python cannot read."""
    first, _, rest = text.partition("\n")
    try:
        body = ast.parse(rest if first.startswith("%%") else text).body
    except (SyntaxError, ValueError):
        return frozenset()
    found = {node.name for node in body if isinstance(node, FunctionDefinition | ast.ClassDef)}
    for node in body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        found |= {each.id for each in targets if isinstance(each, ast.Name) and each.id.startswith("d")}
    return frozenset(found)
