"""The lines of a student's functions that a defence can ask about. Only text is read: nothing here imports torch.

They are lines of the plain part of the file, which has one statement in each line. So a note before a statement, and
another expression in its place, are edits of that text. `source_reader()` runs `read_plain_file` in its process.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from grader.defence.plain_part import plain_part
from grader.source.syntax import nested_statements
from grader.verdict.explain.edits.source_file import assigned_names, parameter_names

MAX_LINE_CHARACTERS_SHOWN = 110
"""Characters of a line that a question can show."""
MAX_FILE_LINES = 200
CONSTANT = re.compile(r"^(new_)?(zeros|ones|full|eye|arange)(_like)?$")
"""Names of calls whose value is the same whatever the tensors hold."""
NOT_SHOWN = (
    *(ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.IfExp, ast.JoinedStr, ast.Starred),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


@dataclass(frozen=True)
class FileLine:
    """An expression that a function assigns to one name, or returns.

    Attributes:
        function: the student's function; `number` counts the lines of the file.
        name: what it computes: the assigned name, or `f(...)` for what the function returns.
        code: the expression in one line.
        names: the values that it reads, in the order in which they appear.
        is_returned: whether it is all that the function returns.
        is_repeated: whether the name gets several values: "your line for `h`" would be several lines.
        place: its line in the plain part, and the bytes in that line where the expression begins and ends.
    """

    function: str
    number: int
    name: str
    code: str
    names: Sequence[str]
    is_returned: bool
    is_repeated: bool
    place: Sequence[int]


@dataclass(frozen=True)
class FileFunction:
    """A function of the file with its lines.

    It `is_shown` if questions can show most of what it computes: at least half of its statements, and no helper.
    """

    name: str
    parameters: Sequence[str]
    lines: Sequence[FileLine]
    is_shown: bool


@dataclass(frozen=True)
class PlainFile:
    """The plain part of a file, and the same text with a note of what each line reads before it is run."""

    text: str
    with_notes: str
    functions: Sequence[FileFunction]

    def changed(self, line: FileLine, code: str) -> str:
        """The text with another expression in place of a line's."""
        number, start, end = line.place
        lines = self.text.encode().split(b"\n")
        own = lines[number - 1]
        lines[number - 1] = own[:start] + f"({code})".encode() + own[end:]
        return b"\n".join(lines).decode()


def read_plain_file(source: str, wanted: Sequence[str]) -> PlainFile:
    """The plain part of a text, and its functions of these names. A text that is not Python has none."""
    text = plain_part(source)
    defined = {each.name: each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)}
    functions: list[FileFunction] = []
    notes: dict[int, list[str]] = defaultdict(list)
    count = 0
    for name, node in defined.items():
        if name in wanted and count < MAX_FILE_LINES:
            found = read_function(node, count, defined.keys(), wanted)
            count += len(found.lines)
            functions.append(found)
            notes[node.body[0].lineno].append(f"_defence_called({name!r})")
            for line in found.lines:
                values = ", ".join(f"{read!r}: {read}" for read in line.names)
                notes[line.place[0]].append(f"_defence_note({line.number}, {{{values}}})")
    noted = list[str]()
    for number, own in enumerate(text.split("\n"), 1):
        indent = own[: len(own) - len(own.lstrip())]
        noted += [*(indent + note for note in notes.get(number, ())), own]
    return PlainFile(text, "\n".join(noted), functions)


def read_function(function: ast.FunctionDef, number: int, own: Collection[str], wanted: Sequence[str]) -> FileFunction:
    """A function and its lines, also those inside loops and branches, and each part of a tuple that it returns.

    A line that reads another function of the file's (`own`) is none: it would show a call, and not what is computed.
    """
    parameters = parameter_names(function)
    local = {*parameters, *assigned_names(function)}
    helpers = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and node.id in own} - local
    targets = (node for node in ast.walk(function) if isinstance(getattr(node, "ctx", None), ast.Store))
    given = Counter([*parameters, *map(ast.unparse, targets)])
    lines, with_line = list[FileLine](), set[int]()
    for statement in nested_statements(function.body):
        for name, node in expressions_in(function.name, statement):
            code = ast.unparse(node)
            names = names_read(node, local) if can_be_shown(node, helpers) else []
            if not names or len(code) > MAX_LINE_CHARACTERS_SHOWN or node.end_lineno != node.lineno:
                continue
            with_line.add(id(statement))
            lines.append(
                FileLine(
                    *(function.name, number + len(lines), name, code, names),
                    is_returned=isinstance(statement, ast.Return) and node is statement.value,
                    is_repeated=given[name] > 1,
                    place=(node.lineno, node.col_offset, node.end_col_offset or 0),
                )
            )
    hidden = [each for each in function.body if id(each) not in with_line and not computes_nothing(each)]
    is_shown = len(hidden) <= len(with_line) and helpers <= set(wanted)
    return FileFunction(function.name, parameters, lines, is_shown)


def expressions_in(function: str, statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """(what it computes, the expression) of an assignment, or of a return, part by part."""
    match statement:
        case ast.Assign(targets=[ast.Name() | ast.Subscript() as target], value=value):
            yield ast.unparse(target), value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            yield from ((ast.unparse(name), each) for name, each in zip(names, values, strict=False))
        case ast.Return(value=ast.Tuple(elts=values)):
            yield from ((f"{function}(...)[{at}]", each) for at, each in enumerate(values))
        case ast.Return(value=ast.expr() as value):
            yield f"{function}(...)", value


def can_be_shown(expression: ast.expr, helpers: Collection[str]) -> bool:
    """Whether it is arithmetic: more than a name or a number, and nothing that only Python's control flow does.

    What it reads must decide its value: unused memory has another one in the next run. (The plain part has no random
    numbers.)
    """
    if isinstance(expression, (ast.Name, ast.Constant, ast.Tuple, ast.List, ast.Dict)) or is_constant(expression):
        return False
    nodes = list(ast.walk(expression))
    return len(nodes) < 80 and not any(
        isinstance(node, NOT_SHOWN)
        or (isinstance(node, ast.Call) and "empty" in function_called(node))
        or (isinstance(node, ast.Name) and node.id in helpers)
        for node in nodes
    )


def computes_nothing(statement: ast.stmt) -> bool:
    """Whether it is a docstring, or gives a name to a value or to a constant tensor."""
    value = getattr(statement, "value", None)
    return isinstance(statement, (ast.Expr, ast.Assign, ast.Return)) and (
        isinstance(value, (ast.Name, ast.Constant)) or is_constant(value)
    )


def is_constant(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Call) and CONSTANT.search(function_called(node)) is not None


def function_called(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def names_read(expression: ast.expr, local: Collection[str]) -> list[str]:
    """The local names that an expression reads; other names are the file's or Python's own."""
    nodes = [node for node in ast.walk(expression) if isinstance(node, ast.Name)]
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    return [*dict.fromkeys(node.id for node in nodes if node.id in local and not hasattr(builtins, node.id))]
