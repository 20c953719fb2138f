"""A backward.py written out of a notebook's statements."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from grader.intake.notebook.script import Statement
from grader.intake.notebook.slices import Slice
from grader.sandbox.workers.imports import INERT

AT_THE_TOP = sys.stdlib_module_names | {"torch", "numpy"} | INERT
"""Modules that are there for sure. An import of another one stays with the step that needs it, and fails with it."""


@dataclass
class FileWriter:
    """Lines of the file, with the statement that each comes from."""

    lines: list[str] = field(default_factory=list)
    places: dict[int, tuple[str, int]] = field(default_factory=dict)

    def add(self, text: str, file: str = "", line: int = 0) -> None:
        self.lines.append(text)
        if file:
            self.places[len(self.lines)] = (file, line)

    def statement(self, statement: Statement, indent: str) -> None:
        text, own = statement.code
        for number, line in enumerate(text.split("\n"), 1):
            self.add(indent + line, statement.file, own.get(number, statement.line))

    def extend(self, other: FileWriter) -> None:
        self.places |= {line + len(self.lines): place for line, place in other.places.items()}
        self.lines += other.lines

    @property
    def source(self) -> bytes:
        return ("\n".join(self.lines) + "\n").encode()


def modules(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.ImportFrom):
        return {(statement.module or "").partition(".")[0]}
    return {alias.name.partition(".")[0] for alias in statement.names} if isinstance(statement, ast.Import) else set()


def top_imports(parts: Iterable[Slice]) -> list[str]:
    """The imports of modules that are there, once each."""
    different = {key: node for part in parts for key, node in part.imports.items() if modules(node) <= AT_THE_TOP}
    return list(dict.fromkeys(map(ast.unparse, different.values())))


def function(
    name: str, parameters: Sequence[str], part: Slice, before: Sequence[str], result: str, own: Sequence[Statement]
) -> FileWriter:
    """One function, in lines of its own: `before` the grader adds, `own` those that assign the gradient.

    Raises SyntaxError where the statements are not complete (a `break` out of a loop that was opened).
    """
    writer = FileWriter()
    first, last = own[0], own[-1]
    writer.add(f"def {name}({', '.join(parameters)}):", first.file, first.line)
    for line in before:
        writer.add("    " + line, first.file, first.line)
    for text in dict.fromkeys(ast.unparse(node) for node in part.imports.values() if not modules(node) <= AT_THE_TOP):
        writer.add("    " + text, first.file, first.line)
    for statement in part.statements:
        writer.statement(statement, "    ")
    writer.add(f"    return {result}", last.file, last.line)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(writer.source, "backward.py", "exec", dont_inherit=True)
    writer.add("")
    return writer


def unwritten_function(name: str, parameters: str, statement: Statement) -> FileWriter:
    """A function that says it is still to be written: `dlogits = None # TODO` in the notebook."""
    writer = FileWriter()
    writer.add(f"def {name}({parameters}):", statement.file, statement.line)
    writer.add("    raise NotImplementedError", statement.file, statement.line)
    writer.add("")
    return writer
