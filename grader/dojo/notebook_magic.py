"""`%load_ext grader`: adds `%%check`, which runs a cell and then checks it as `dojo check` does."""

from __future__ import annotations

import ast
import atexit
import contextlib
import io
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from grader.dojo.checked import Checked
from grader.dojo.desk import Desk, student_course
from grader.dojo.heat import heat_maps, show_html, shows_html
from grader.dojo.naming import named_lesson
from grader.dojo.screen import verdict_lines
from grader.dojo.session import CheckSession
from grader.dojo.work import OneFile
from grader.errors import GraderFault, UserError
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.source.syntax import FunctionDefinition

NOTEBOOK_COLUMNS = 88
NOTEBOOK_NAME = "this notebook.ipynb"
USAGE = "Say which row the cell is for, as in `%%check 03.dprobs`, or a lesson, as in `%%check 03`."


@dataclass(frozen=True)
class RunCell:
    """A cell that was run as `In [number]`. Two with a common key are one cell, which was run again.

    Its keys are its text, the front end's name of it, where it gives one, and the names that it defines.
    """

    number: int
    text: str
    keys: frozenset[object]


class CellsRun:
    """The latest run of every cell of a session."""

    def __init__(self) -> None:
        self._cells: list[RunCell] = []

    def add(self, text: str, number: int, identity: str | None = None) -> None:
        added = RunCell(number, text, frozenset(key for key in (text, identity, names_defined(text)) if key))
        self._cells = [*(each for each in self._cells if not added.keys & each.keys), added]

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


class CheckMagic:
    """One notebook's `%%check`. The judge is started by the first check, which takes seconds."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._cells = CellsRun()
        self._desk: Desk | None = None
        self._session: CheckSession | None = None
        for number, text in enumerate(shell.user_ns.get("In", [])[1:], 1):
            self._cells.add(text, number)

    def note(self, result: Any) -> None:
        """Called by IPython after every cell."""
        info = result.info
        if info is not None and info.store_history and result.execution_count:
            self._cells.add(info.raw_cell or "", result.execution_count, getattr(info, "cell_id", None))

    def check(self, line: str, cell: str) -> None:
        """`%%check 03.dprobs`: runs the cell, then says whether the row is right."""
        with print_errors():
            lesson, rows = self._wanted(line.strip())
            done = self._shell.run_cell(cell, store_history=False)
            if not done.success:
                return
            number = len(self._shell.user_ns["In"]) - 1
            self._cells.add(f"%%check {line}\n{cell}", number)
            self._session = self._session or CheckSession(self._opened())
            checked = self._session.checked_now(lesson, self._submitted(lesson))
            print(check_as_text(checked, rows))
            self._draw(checked, rows)

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
        elif self._desk is not None:
            self._desk.close()

    def _opened(self) -> Desk:
        if self._desk is None:
            self._desk = Desk(student_course(None), print)
            atexit.register(self.close)
        return self._desk

    def _wanted(self, words: str) -> tuple[Lesson, list[str]]:
        """The lesson and the rows that `words` name: a row, a function with several rows, or a lesson. UserError."""
        if not words:
            raise UserError(USAGE)
        desk = self._opened()
        lesson, _, function = named_lesson(desk.course, words)
        if lesson is not None and function in lesson.functions:
            return lesson, [item.name for item in lesson.items if item.function == function]
        lesson, row = desk.find(words)
        return lesson, [row] if row else [item.name for item in lesson.items]

    def _submitted(self, lesson: Lesson) -> LessonFiles:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / NOTEBOOK_NAME
            path.write_bytes(self._cells.as_notebook())
            work = OneFile(path, self._opened().course)
            work.shown = NOTEBOOK_NAME.removesuffix(".ipynb")
            return work.read(lesson)

    def _draw(self, checked: Checked, rows: list[str]) -> None:
        if not shows_html(self._shell) or checked.own is None:
            return
        run = checked.own
        for row in checked.judged.rows:
            target, answer = checked.lesson.item_for(row.name).target, run.answers.get(row.name)
            is_drawn = row.name in rows and row.status in ("failed", "shape")
            if is_drawn and target is not None and answer is not None and answer.tensor is not None:
                maps = heat_maps(row.name, answer.tensor, run.problem.reference(target))
                show_html(maps, f"(heat maps of {row.name})")


def check_as_text(checked: Checked, rows: list[str]) -> str:
    """What `dojo check` prints about these rows, without the lesson's heading."""
    console = Console(
        width=NOTEBOOK_COLUMNS, file=io.StringIO(), highlight=False, markup=False, emoji=False, force_jupyter=False
    )
    with console.capture() as captured:
        for part in verdict_lines(checked, rows):
            console.print(part)
    return captured.get().rstrip()


@contextlib.contextmanager
def print_errors() -> Iterator[None]:
    """Prints what a student can fix, as a sentence."""
    try:
        yield
    except (UserError, GraderFault) as error:
        print(f"check: {error}")


def load_magic(shell: Any) -> None:
    """What `%load_ext grader` does; a second time it changes nothing."""
    if "check" in shell.magics_manager.magics["cell"]:
        return
    magic = CheckMagic(shell)
    shell.register_magic_function(magic.check, magic_kind="cell", magic_name="check")
    shell.events.register("post_run_cell", magic.note)
