"""The functions that a Python file or a notebook defines, and which of them are still the stub's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.intake.notebook.cells import Cell, NotebookError, cells_of, script_cells
from grader.intake.notebook.readable_lines import readable_statements
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

DEFINITION = re.compile(rb"^(?:async[ \t]+)?(?:def|class)[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


@dataclass(frozen=True)
class OutlinedFunction:
    """A definition of a function or class, from line `first` to `last` of a Python file.

    `parameters` are those without a default value; of a class, the names of its methods without `__init__`. None
    where they are not known, as those that a class may inherit. `written`: it is no stub.
    """

    parameters: frozenset[str] | None = None
    written: bool = True
    first: int = 0
    last: int = 0
    is_class: bool = False


@dataclass(frozen=True)
class FileOutline:
    """Attributes:
    functions: {name: its definitions outside of others, in order}; the last one counts in Python.
    assigned: the names that statements outside functions assign.
    imports: the modules that it imports, by their first name.
    parsed: Python can parse all of it. If not, of some functions only the names are known.
    """

    functions: Mapping[str, tuple[OutlinedFunction, ...]] = field(default_factory=dict)
    assigned: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    parsed: bool = True


def outlines_limited(files: Sequence[tuple[bytes, bool]]) -> list[FileOutline]:
    """The outlines of (a file's bytes, whether it is a notebook), read in the process with limits of time and memory.

    Of files that take too long, only the names of definitions are known.
    """
    try:
        answers = source_reader().call(outlines_data, files)
    except (ReadingStopped, ReadingFailed):
        return [outline_from_data(names_only(data)) for data, _ in files]
    return [outline_from_data(answer) for answer in answers]


def outline_from_data(entry: Mapping[str, Any]) -> FileOutline:
    """The FileOutline that `outline_data` took apart."""
    functions = {
        name: tuple(
            OutlinedFunction(None if wanted is None else frozenset(wanted), *others) for wanted, *others in definitions
        )
        for name, definitions in entry["functions"].items()
    }
    return FileOutline(functions, frozenset(entry["assigned"]), frozenset(entry["imports"]), entry["parsed"])


def outlines_data(files: Sequence[tuple[bytes, bool]]) -> list[dict[str, Any]]:
    return [outline_data(data, is_notebook) for data, is_notebook in files]


def outline_data(data: bytes, is_notebook: bool) -> dict[str, Any]:
    """One file's outline, as JSON can hold it."""
    if is_notebook:
        try:
            cells = cells_of(data, "")
        except NotebookError:
            return names_only(b"")
        return outline_of_cells(cells)
    tree = parse_submitted(data)
    if tree is not None:
        return outline_of(tree.body)
    found = outline_of_cells(script_cells(data, ""))  # a notebook saved as a Python file may have IPython's lines
    return {**found, "functions": names_only(data)["functions"] | found["functions"]}


def outline_of_cells(cells: Sequence[Cell]) -> dict[str, Any]:
    """The outline of what Python can read of the cells."""
    read = [readable_statements(cell.file, cell.text) for cell in cells]
    found = outline_of([statement for statements, _ in read for statement in statements])
    return {**found, "parsed": bool(cells) and not any(broken for _, broken in read)}


UNKNOWN = (None, True, 0, 0, False)
"""A definition of which only the name is known."""


def names_only(data: bytes) -> dict[str, Any]:
    names = {name.decode("ascii", "replace"): [UNKNOWN] for name in DEFINITION.findall(data)}
    return {"functions": names, "assigned": [], "imports": [], "parsed": False}


def outline_of(statements: Iterable[ast.stmt]) -> dict[str, Any]:
    functions: dict[str, list[tuple[list[str] | None, bool, int, int, bool]]] = {}
    assigned: set[str] = set()
    imports: set[str] = set()
    for node in statements_outside_functions(statements):
        if isinstance(node, DefinitionNode):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            is_class = isinstance(node, ast.ClassDef)
            found = wanted_by(node), not is_unwritten(node), first, node.end_lineno or first, is_class
            functions.setdefault(node.name, []).append(found)
        elif isinstance(node, ast.Import):
            imports |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imports.add((node.module or node.names[0].name).partition(".")[0])
            functions |= {alias.asname or alias.name: [UNKNOWN] for alias in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and is_function(node, functions):
            functions[node.targets[0].id] = [UNKNOWN]
        else:
            assigned |= stored_names(node)
    return {"functions": functions, "assigned": sorted(assigned), "imports": sorted(imports), "parsed": True}


def statements_outside_functions(statements: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    """The statements, and those inside `if`, `with`, `try`, `match` and marimo cells, outside functions."""
    for node in statements:
        if is_marimo_cell(node):
            yield from statements_outside_functions(node.body)
            continue
        if isinstance(node, ast.If | ast.With | ast.Try | ast.TryStar | ast.Match):
            yield from statements_outside_functions(inner_statements(node))
        else:
            yield node


def is_function(node: ast.Assign, functions: Mapping[str, Any]) -> bool:
    """Whether a name is assigned a lambda, or a function of the file under another name."""
    return isinstance(node.value, ast.Lambda) or (isinstance(node.value, ast.Name) and node.value.id in functions)


def wanted_by(node: DefinitionNode) -> list[str] | None:
    """`OutlinedFunction.parameters`, as a list."""
    if isinstance(node, ast.ClassDef):
        if node.bases or node.decorator_list:
            return None
        # a method may be assigned, as in `__radd__ = __add__`
        return sorted(
            {each.name for each in node.body if isinstance(each, FunctionDefinition)}.union(
                *(stored_names(each) for each in node.body if isinstance(each, ast.Assign))
            )
            - {"__init__"}
        )
    stars = {each.arg for each in (node.args.vararg, node.args.kwarg) if each is not None}
    return [each.arg for each, default in parameters(node) if default is None and each.arg not in stars]


def is_unwritten(node: DefinitionNode) -> bool:
    """Whether a function has no code or only raises NotImplementedError; for a class, whether a method does."""
    if isinstance(node, ast.ClassDef):
        return any(isinstance(each, FunctionDefinition) and is_unwritten(each) for each in node.body)
    first = first_statement(node)
    return first is None or isinstance(first, ast.Pass) or only_raises(node)
