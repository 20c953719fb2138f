"""The lecture's notebook in three styles, and notebooks made of cells."""

from __future__ import annotations

import json
from typing import Any

from support import CORPUS

NOTEBOOKS = CORPUS / "notebooks"
STYLES = ("colab_as_in_the_lecture", "jupyter_a_cell_each", "version_3_one_big_cell")
Notebook = dict[str, Any]


def stored(name: str) -> Notebook:
    loaded: Notebook = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))
    return loaded


def notebook(*cells: str | Notebook) -> Notebook:
    """A notebook of version 4 with these code cells."""
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": cell}
            if isinstance(cell, str)
            else cell
            for cell in cells
        ],
    }


def lecture(**changed: str) -> str:
    """The lecture's chain in one piece, with lines replaced: {what is assigned, or how a line begins: the new line}."""
    text = "".join(stored(STYLES[0])["cells"][10]["source"]).split("\n\n")[1]
    lines = text.split("\n")
    for name, line in changed.items():
        start = f"{name} = " if name.isidentifier() else name
        (at,) = [n for n, each in enumerate(lines) if each.startswith(start)]
        lines[at] = line
    return "\n".join(lines)


CHAIN = lecture()
SOFTMAX = "dlogits = F.softmax(logits, 1)\ndlogits[range(n), Yb] -= 1\ndlogits /= n"
BATCH_NORM = "dhprebn = bngain*bnvar_inv/n * (n*dhpreact - dhpreact.sum(0) - n/(n-1)*bnraw*(dhpreact*bnraw).sum(0))"


def others(rows: dict[str, Any], *names: str) -> set[str]:
    """The statuses of all rows but these."""
    return {row["status"] for name, row in rows.items() if name not in names}
