"""Lines of a notebook's forward pass that are not written as the lesson's: `bnvar = bndiff2.mean(0, keepdim=True)`.

Each becomes a function, so that a worker can say whether it gives other numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from grader.intake.notebook.forward_pass import form_of_text, line_form
from grader.intake.notebook.slices import CannotSlice, Slicer
from grader.intake.notebook.uses import Uses
from grader.lesson.notebook_table import NotebookTable
from grader.source.unparsing import code_of

PREFIX = "forward_line_of_"
MAX_STATEMENTS_OF_A_LINE = 7  # with those that give names which the lesson does not have


class ForwardLine(NamedTuple):
    """The notebook's line `code` for `value`, at `line` of `file`; the lesson's is `expected`.

    `text` defines `function`, which returns what the line gives.
    """

    value: str
    function: str
    text: str
    code: str
    expected: str
    file: str
    line: int


def different_lines(uses: Uses, end: int, table: NotebookTable) -> dict[str, ForwardLine]:
    """{value: its line} of the values of the lesson whose last line above statement `end` is another one."""
    given = table.given
    lesson_name = {**given.compared, **given.others, **{name: name for name in table.forward}}
    last: dict[str, int] = {}  # {variable: the statement that assigns it}
    for i, statement in enumerate(uses.statements[:end]):
        match statement.node:
            case ast.Assign(targets=[ast.Name(name)]) if not statement.opaque:
                last[name] = i
    found: dict[str, ForwardLine] = {}
    for variable, i in sorted(last.items(), key=lambda entry: entry[1]):
        value, statement = lesson_name.get(variable), uses.statements[i]
        if value not in table.forward or value is None or not isinstance(statement.node, ast.Assign):
            continue
        if is_same_line(statement.node.value, value, table, lesson_name):
            continue
        slicer = Slicer(uses, replace(given, values=given.values - {value}))
        try:
            part = slicer.slice({variable: [i]})
        except CannotSlice:
            continue
        if len(part.statements) > MAX_STATEMENTS_OF_A_LINE or not given.values.issuperset(part.parameters):
            continue
        lines = [f"{other} = {given.expression(other)}" for other in part.same]
        lines += [line for each in part.statements[:-1] for line in ast.unparse(each.node).split("\n")]
        text = "\n    ".join(
            [
                f"def {PREFIX}{value}({', '.join(part.parameters)}):",
                *lines,
                f"return {ast.unparse(statement.node.value)}",
            ]
        )
        expected, code = f"{value} = {table.forward[value]}", code_of(statement.node)
        found[value] = ForwardLine(value, PREFIX + value, text, code, expected, statement.file, statement.line)
    return found


def is_same_line(written: ast.expr, value: str, table: NotebookTable, lesson_name: Mapping[str, str]) -> bool:
    """Whether the line has the structure and the names of a line of the forward pass."""
    form = line_form(value, written)
    known = {name: lesson_name.get(name, name) for name in form.places} if form else {}
    lines = [form_of_text(*line) for line in table.lines if line[0] == value]
    return form is None or any(any(form.pairs_with(line, known)) for line in lines)
