"""In a notebook: the lecture's comparison with an explanation, and `%%check` above a cell.

    from grader import cmp
    cmp('probs', dprobs, probs)      # probs.grad is there: probs.retain_grad() and loss.backward() were called

prints the lecture's row. Its `==` and `allclose` broadcast, so a gradient of another shape can look exact, and it does
not distinguish a wrong sign or factor from other differences. Here a line below the row says what is wrong.

    %load_ext grader

adds `%%check`, which runs a cell and then checks it as `dojo check` does.
"""

from __future__ import annotations

import ast
import atexit
import json
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import Console
from torch import Tensor

from grader.comparison.tensors import bits
from grader.comparison.trees import agreement
from grader.dojo.desk import Desk, student_course
from grader.dojo.screen import verdict_lines
from grader.dojo.session import CheckSession
from grader.dojo.work import Work
from grader.errors import GraderFault, UserError
from grader.results.wording import format_shape
from grader.source.syntax import FunctionDefinition, stored_names
from grader.verdict.explain.results import explain_tensors

RTOL_OF_A_WRONG_FORMULA = 1e-4
"""The relative difference below which a wrong gradient matches the gradient of a wrong formula."""
NOTEBOOK_COLUMNS = 88
USAGE = "Say which row the cell is for, as in `%%check 03.dprobs`, or a lesson, as in `%%check 03`."


def print_comparison(name: str, gradient: object, value: object) -> None:
    """Prints the lecture's row for `gradient` (yours) and `value.grad` (autograd's), then what is wrong.

    Both are tensors; `gradient` should have the shape of `value`. Reports wrong types in the row instead of raising.
    """
    trouble = reason_not_comparable(name, gradient, value)
    if trouble is not None:
        print(f"{name:15s} | {trouble}")
        return
    assert isinstance(gradient, Tensor) and isinstance(value, Tensor) and value.grad is not None
    given, reference = gradient.detach(), value.grad.detach()
    mine = given if given.is_floating_point() else given.to(reference.dtype)
    found = bits(mine, reference)
    maxdiff = "none" if found.maxdiff is None else str(found.maxdiff)
    approximate = bool(found.approximate)
    print(f"{name:15s} | exact: {bool(found.exact)!s:5s} | approximate: {approximate!s:5s} | maxdiff: {maxdiff}")
    if given.dtype != reference.dtype:
        short = [str(tensor.dtype).removeprefix("torch.") for tensor in (given, reference)]
        print(f"    `d{name}` is {short[0]} and `{name}` is {short[1]}: they were compared as {short[1]}.")
    if approximate and mine.shape == reference.shape:
        return
    print(f"    {mistake_or_difference(f'd{name}', mine, reference)}")


def reason_not_comparable(name: str, gradient: object, value: object) -> str | None:
    """Why the two cannot be compared; None if they can."""
    if not isinstance(value, Tensor):
        return f"the third argument is a {type(value).__name__}; expected the tensor `{name}` of your forward pass."
    if not isinstance(gradient, Tensor):
        kind = "None" if gradient is None else f"a {type(gradient).__name__}"
        return f"`d{name}` is {kind}; expected a tensor of shape {format_shape(value.shape)}."
    if not value.is_leaf and not value.retains_grad:
        return f"`{name}` has no .grad: call {name}.retain_grad() before loss.backward()."
    if value.grad is not None:
        return None
    if not value.requires_grad:
        return f"`{name}` requires no gradient: set requires_grad = True on the parameters before the forward pass."
    return f"`{name}` has no .grad yet: call loss.backward() first."


def mistake_or_difference(name: str, mine: Tensor, reference: Tensor) -> str:
    """The mistake where the diagnosis names it, else how much `mine` differs from the reference."""
    differing = agreement({name: mine}, {name: reference}, low_precision=True).findings
    if not differing:
        return "Right: as a whole it differs by rounding only, though more than allclose grants one element."
    explanation = explain_tensors(f"`{name}`", [(mine, reference)], [{}], RTOL_OF_A_WRONG_FORMULA)
    return differing[0].message if explanation is None else explanation.message


class CheckMagic:
    """One notebook's `%%check`, for the nearest folder with exercises/. The first check takes seconds."""

    def __init__(self, shell: Any) -> None:
        self._shell, self._folder = shell, tempfile.TemporaryDirectory()
        self._file = Path(self._folder.name) / "notebook.ipynb"  # the latest cells, which are checked

    @cached_property
    def desk(self) -> Desk:
        return Desk(student_course(None), print)

    @cached_property
    def _session(self) -> CheckSession:
        session = CheckSession(Work(self.desk, self._file, shown="this notebook"))
        atexit.register(session.close)
        return session

    def check(self, line: str, cell: str) -> None:
        """`%%check 03.dprobs`: runs the cell, then says whether the row is right; what can be fixed is a sentence."""
        try:
            if not line.strip():
                raise UserError(USAGE)
            lesson, row = self.desk.find(line.strip())
            if self._shell.run_cell(cell, store_history=False).success:
                self._file.write_bytes(latest_cells(self._shell.history_manager.input_hist_raw))
                lines = verdict_lines(self._session.checked_now(lesson), [row] if row else [])
                console = Console(width=NOTEBOOK_COLUMNS, highlight=False, markup=False, force_jupyter=False)
                console.print(*lines, sep="\n")
        except (UserError, GraderFault) as error:
            print(f"check: {error}")


def latest_cells(texts: Sequence[str]) -> bytes:
    """A notebook of the cells that were run: cell number n was run as `In [n]`.

    A cell that defines what a later one defines again is empty: it was run again, perhaps changed.
    """
    keyed = [(frozenset(names_defined(text)) or text, text) for text in texts[1:]]
    latest = {key: number for number, (key, _) in enumerate(keyed)}
    shown = [text if latest[key] == number else "" for number, (key, text) in enumerate(keyed)]
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": number, "source": text}
        for number, text in enumerate(shown, 1)
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


def load_magic(shell: Any) -> None:
    """What `%load_ext grader` does; a second time it changes nothing."""
    if "check" not in shell.magics_manager.magics["cell"]:
        shell.register_magic_function(CheckMagic(shell).check, magic_kind="cell", magic_name="check")
