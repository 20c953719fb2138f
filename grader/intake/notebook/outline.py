"""The functions that a Python file or a notebook defines, and which of them are still the stub's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.intake.notebook.cells import Cell, NotebookError, cells_of, script_cells, syntax_error
from grader.source.parsing import parse_submitted
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader
from grader.source.syntax import (
    DefinitionNode,
    FunctionDefinition,
    first_statement,
    inner_statements,
    is_marimo_cell,
    only_raises,
    parameters,
    stored_names,
)
from grader.typed_json import from_json

DEFINITION = re.compile(rb"^(?:async[ \t]+)?(?:def|class)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


@dataclass(frozen=True)
class OutlinedFunction:
    """A definition of a function or class.

    `parameters` are those without a default value; of a class, the names of its methods without `__init__`. None
    where they are not known, as those that a class may inherit. `written`: it is no stub.
    """

    parameters: frozenset[str] | None = None
    written: bool = True
    is_class: bool = False


UNKNOWN = OutlinedFunction()
"""A definition of which only the name is known."""


@dataclass(frozen=True)
class FileOutline:
    """Attributes:
    functions: {name: its definitions outside of others, in order}; the last one counts in Python.
    assigned: the names that statements outside functions assign.
    parsed: Python can parse all of it. If not, of some functions only the names are known.
    syntax_error: where and why it cannot parse a Python file, as "line 12: invalid syntax".
    """

    functions: Mapping[str, tuple[OutlinedFunction, ...]] = field(default_factory=dict)
    assigned: frozenset[str] = frozenset()
    parsed: bool = True
    syntax_error: str | None = None


def outline_limited(data: bytes, is_notebook: bool) -> FileOutline:
    """The outline of a file, read in the process with limits of time and memory.

    Of a file that takes too long, only the names of definitions are known.
    """
    try:
        answer = source_reader().call(outline, data, is_notebook)
    except (ReadingStopped, ReadingFailed):
        return names_only(data)
    found: FileOutline = from_json(FileOutline, answer)
    return found


def outline(data: bytes, is_notebook: bool) -> FileOutline:
    if is_notebook:
        try:
            return outline_of_cells(cells_of(data, ""))
        except NotebookError:
            return names_only(b"")
    tree = parse_submitted(data)
    if tree is not None:
        return outline_of(tree.body)
    found = outline_of_cells(script_cells(data, ""))  # a notebook saved as a Python file may have IPython's lines
    functions = {**names_only(data).functions, **found.functions}
    return replace(found, functions=functions, syntax_error=syntax_error(data))


def outline_of_cells(cells: Sequence[Cell]) -> FileOutline:
    """The outline of what Python can read of the cells."""
    found = outline_of([statement for cell in cells for statement in cell.parsed[0]])
    return replace(found, parsed=bool(cells) and not any(cell.parsed[1] for cell in cells))


def names_only(data: bytes) -> FileOutline:
    names = [name.decode("ascii", "replace") for name in DEFINITION.findall(data)]
    return FileOutline(dict.fromkeys(names, (UNKNOWN,)), parsed=False)


def outline_of(statements: Iterable[ast.stmt]) -> FileOutline:
    functions: dict[str, list[OutlinedFunction]] = {}
    assigned = set[str]()
    for node in statements_outside_functions(statements):
        if isinstance(node, DefinitionNode):
            found = OutlinedFunction(wanted_by(node), not is_unwritten(node), isinstance(node, ast.ClassDef))
            functions.setdefault(node.name, []).append(found)
        elif isinstance(node, ast.ImportFrom):
            functions |= {alias.asname or alias.name: [UNKNOWN] for alias in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and is_function(node, functions):
            functions[node.targets[0].id] = [UNKNOWN]
        else:
            assigned |= stored_names(node)
    definitions = {name: tuple(found) for name, found in functions.items()}
    return FileOutline(definitions, frozenset(assigned))


def statements_outside_functions(statements: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    """The statements, and those inside `if`, `with`, `try`, `match` and marimo cells, outside functions."""
    for node in statements:
        if is_marimo_cell(node):
            yield from statements_outside_functions(node.body)
        elif isinstance(node, ast.If | ast.With | ast.Try | ast.TryStar | ast.Match):
            yield from statements_outside_functions(inner_statements(node))
        else:
            yield node


def is_function(node: ast.Assign, functions: Mapping[str, object]) -> bool:
    """Whether a name is assigned a lambda, or a function of the file under another name."""
    return isinstance(node.value, ast.Lambda) or (isinstance(node.value, ast.Name) and node.value.id in functions)


def wanted_by(node: DefinitionNode) -> frozenset[str] | None:
    """See `OutlinedFunction.parameters`."""
    if not isinstance(node, ast.ClassDef):
        stars = {each.arg for each in (node.args.vararg, node.args.kwarg) if each is not None}
        return frozenset(each.arg for each, default in parameters(node) if default is None and each.arg not in stars)
    if node.bases or node.decorator_list:
        return None
    methods = {each.name for each in node.body if isinstance(each, FunctionDefinition)}
    # a method may be assigned, as in `__radd__ = __add__`
    assigned = (stored_names(each) for each in node.body if isinstance(each, ast.Assign))
    return frozenset(methods.union(*assigned) - {"__init__"})


def is_unwritten(node: DefinitionNode) -> bool:
    """Whether a function has no code or only raises NotImplementedError; for a class, whether a method does."""
    if isinstance(node, ast.ClassDef):
        return any(isinstance(each, FunctionDefinition) and is_unwritten(each) for each in node.body)
    first = first_statement(node)
    return first is None or isinstance(first, ast.Pass) or only_raises(node)
