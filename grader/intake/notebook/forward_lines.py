"""Lines of a notebook's forward pass that are not written as the lesson's: `bnvar = bndiff2.mean(0, keepdim=True)`.

Each becomes a function, so that a worker can say whether it gives other numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from grader.intake.notebook.forward_names import LIBRARY_NAMES, line_shape
from grader.intake.notebook.script import Statement
from grader.lesson.notebook_table import NotebookTable
from grader.source.syntax import names_in
from grader.source.unparsing import code_of

PREFIX = "forward_line_of_"
MAX_LINES_INLINED = 6  # lines of the notebook that give names which the lesson does not have
KNOWN_EVERYWHERE = LIBRARY_NAMES | {"range", "len", "int", "float", "abs", "min", "max", "sum"}


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


def different_lines(above: Sequence[Statement], table: NotebookTable) -> dict[str, ForwardLine]:
    """{value: its line} of the values of the lesson whose last line, among the statements `above`, is another one."""
    assigned: dict[str, Statement] = {}  # in the order of the last assignments
    for statement in above:
        target = only_target(statement.node)
        if target is not None and not statement.opaque:
            assigned.pop(target, None)
            assigned[target] = statement
    given = table.given
    lesson_name = {name: name for name in table.forward} | {
        name: value
        for names in (given.others, given.compared)
        for name, value in names.items()
        if value in table.forward
    }
    found: dict[str, ForwardLine] = {}
    for target, statement in assigned.items():
        value, node = lesson_name.get(target), statement.node
        if value is None or not isinstance(node, ast.Assign) or is_same_line(node.value, value, table, lesson_name):
            continue
        body = function_body(node, value, assigned, table, lesson_name)
        if body is not None:
            parameters, lines = body
            name = PREFIX + value
            text = "\n    ".join([f"def {name}({', '.join(parameters)}):", *lines])
            expected = f"{value} = {table.forward[value]}"
            found[value] = ForwardLine(value, name, text, code_of(node), expected, statement.file, statement.line)
    return found


def only_target(node: ast.stmt) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Name(name)]):
            return name
    return None


def is_same_line(written: ast.expr, value: str, table: NotebookTable, lesson_name: Mapping[str, str]) -> bool:
    """Whether the line has the structure and the names of a line of the forward pass."""
    shape = line_shape("", written)
    if shape is None:
        return True
    mine = {tuple(lesson_name.get(name, name) for name in names) for names in shape.names}
    lines = (line_shape("", ast.parse(text, mode="eval").body) for name, text in table.lines if name == value)
    return any(line and line.key == shape.key and mine & {*line.names} for line in lines)


def function_body(
    node: ast.Assign,
    value: str,
    assigned: Mapping[str, Statement],
    table: NotebookTable,
    lesson_name: Mapping[str, str],
) -> tuple[Collection[str], list[str]] | None:
    """(parameters, lines) of a function that returns the value; None where it reads what the lesson does not give."""
    given = table.given
    parameters: dict[str, None] = {}
    before: list[str] = []
    inlined: list[str] = []  # names
    waiting, seen = sorted(names_in(node.value)), set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen or name in KNOWN_EVERYWHERE:
            continue
        seen.add(name)
        if lesson_name.get(name) == value:
            return None
        if name in given.values and lesson_name.get(name, name) == name:
            parameters[name] = None
        elif name in given.same or name in given.others or name in given.compared:
            expression = given.expression(name)
            before.append(f"{name} = {expression}")
            parameters |= dict.fromkeys(sorted(names_in(ast.parse(expression)) - KNOWN_EVERYWHERE))
        elif name in assigned and len(inlined) < MAX_LINES_INLINED:
            inlined.append(name)
            waiting += sorted(names_in(assigned[name].node) - {name})
        else:
            return None
    if parameters.keys() - given.values:
        return None
    lines = [ast.unparse(each.node) for name, each in assigned.items() if name in inlined]
    return parameters, [*before, *lines, f"return {ast.unparse(node.value)}"]
