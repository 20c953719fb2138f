"""`%load_ext grader`: adds `%%check`, which runs a cell and then checks it as `dojo check` does."""

from __future__ import annotations

import ast
import atexit
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from grader.dojo.desk import Desk, student_course
from grader.dojo.file import Work
from grader.dojo.progress import Checked
from grader.dojo.screen import verdict_lines
from grader.dojo.session import CheckSession
from grader.errors import GraderFault, UserError
from grader.source.syntax import FunctionDefinition, stored_names

NOTEBOOK_COLUMNS = 88
USAGE = "Say which row the cell is for, as in `%%check 03.dprobs`, or a lesson, as in `%%check 03`."


class CheckMagic:
    """One notebook's `%%check`. The judge is started by the first check, which takes seconds."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._session: CheckSession | None = None

    def check(self, line: str, cell: str) -> None:
        """`%%check 03.dprobs`: runs the cell, then says whether the row is right; what can be fixed is a sentence."""
        try:
            if not line.strip():
                raise UserError(USAGE)
            desk = self.opened
            lesson, row = desk.find(line.strip())
            if not self._shell.run_cell(cell, store_history=False).success:
                return
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "notebook.ipynb"
                path.write_bytes(latest_cells(self._shell.history_manager.input_hist_raw))
                submitted = Work(desk.course, path, "this notebook").read(lesson)
            self._session = self._session or CheckSession(desk)
            checked = self._session.checked_now(lesson, submitted)
            print(check_as_text(checked, [row] if row else []))
        except (UserError, GraderFault) as error:
            print(f"check: {error}")

    @property
    def opened(self) -> Desk:
        """The desk at the nearest folder with exercises/. Raises UserError."""
        if not hasattr(self, "_desk"):
            self._desk = Desk(student_course(None), print)
            atexit.register(lambda: (self._session or self._desk).close())
        return self._desk


def latest_cells(texts: Sequence[str]) -> bytes:
    """A notebook of the cells that were run: cell number n was run as `In [n]`.

    A cell that defines what a later one defines again is empty: it was run again, perhaps changed.
    """
    kept, later = list[str](), list[set[str]]()
    for text in reversed(texts[1:]):
        names = names_defined(text)
        kept.append("" if text in kept or (names and names in later) else text)
        later.append(names)
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": number, "source": text}
        for number, text in enumerate(reversed(kept), 1)
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode()


def names_defined(text: str) -> set[str]:
    """The functions and classes of a cell, and the gradients that it assigns; empty for one that Python cannot read."""
    first, _, rest = text.partition("\n")
    try:
        tree = ast.parse(rest if first.startswith("%%") else text)
    except (SyntaxError, ValueError):
        return set()
    functions = {node.name for node in tree.body if isinstance(node, FunctionDefinition | ast.ClassDef)}
    return functions | {name for name in stored_names(tree) if name.startswith("d")}


def check_as_text(checked: Checked, rows: list[str]) -> str:
    """What `dojo check` prints about these rows, without the lesson's heading."""
    console = Console(width=NOTEBOOK_COLUMNS, highlight=False, markup=False, emoji=False, force_jupyter=False)
    with console.capture() as captured:
        console.print(*verdict_lines(checked, rows), sep="\n")
    return captured.get().rstrip()


def load_magic(shell: Any) -> None:
    """What `%load_ext grader` does; a second time it changes nothing."""
    if "check" not in shell.magics_manager.magics["cell"]:
        shell.register_magic_function(CheckMagic(shell).check, magic_kind="cell", magic_name="check")
