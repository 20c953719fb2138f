"""A backward.py written out of a notebook's statements, and the way back from its lines to the cells'."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.intake.notebook.script import Statement
from grader.intake.notebook.slices import Slice
from grader.sandbox.workers.imports import INERT
from grader.source.syntax import WrittenNumber

if TYPE_CHECKING:  # torch comes with it
    from grader.results import Row

AT_THE_TOP = sys.stdlib_module_names | {"torch", "numpy"} | INERT
"""Modules that are there for sure. An import of another one stays with the step that needs it, and fails with it."""
LINE_REFERENCE = re.compile(r"\bLine (\d+)(?= (?:calls|fails|uses|does it)\b)")


@dataclass(frozen=True)
class Origin:
    """Where the graded file comes from, when a student submitted another kind of file.

    Attributes:
        lines: {line of the graded file: (the student's file as it is shown, line there)}.
        texts: {the student's file as it is shown: its text}, to quote from; `limited_reading` adds them.
        missing: {row: why there is nothing to grade}.
        rows: {row: (file, line)}, for rows of one function: where each gradient is assigned.
        sizes: {size: its value}, as a notebook in the lecture's manner sets them. None for functions, which work at
            any size.
        numbers: {row: the numbers in the text of its statements}.
        remarks: {row: a sentence that its message ends with}: which variable it is read from, and why.
        uncounted: rows that a notebook in the lecture's style cannot contain: an assignment may leave them out.
    """

    lines: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    sizes: Mapping[str, int] | None = None
    numbers: Mapping[str, Sequence[WrittenNumber]] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    uncounted: Sequence[str] = ()

    @property
    def fingerprint(self) -> bytes:
        """Of all that a result says and the graded file does not hold."""
        parts = self.lines, self.texts, self.missing, self.rows, self.sizes or {}, self.numbers, self.remarks
        return repr([*(sorted(part.items()) for part in parts), sorted(self.uncounted)]).encode(
            "utf-8", "surrogatepass"
        )

    def place(self, line: int | None) -> tuple[str, int] | None:
        return self.lines.get(line) if line is not None else None

    def in_words(self, line: int | None, otherwise: str) -> str:
        """ "that.ipynb, cell 12, line 3", for a message."""
        place = self.place(line)
        return f"{place[0]}, line {place[1]}" if place else otherwise

    def translate(self, message: str) -> str:
        """A message with the lines that the student knows."""

        def own(match: re.Match[str]) -> str:
            place = self.place(int(match[1]))
            return f"Line {place[1]} of {place[0]}" if place else match[0]

        return LINE_REFERENCE.sub(own, message)

    def explain(self, row: Row) -> None:
        """Gives the row the student's own file and line, or the reason why there is none."""
        if row.name in self.uncounted:
            row.status, row.points, row.outside_notebook = "missing", 0, True
        if row.status in ("missing", "todo") and row.name in self.missing:
            row.status, row.message = "missing", self.missing[row.name]
        elif row.message:
            row.message = self.translate(row.message)
        if row.mistake:
            row.mistake = row.mistake._replace(message=self.translate(row.mistake.message))
        if row.name in self.remarks:
            remark = self.remarks[row.name]
            row.message = f"{row.message} {remark}" if row.message else remark
        judged = row.status in ("passed", "failed", "shape")
        place = self.rows.get(row.name) if judged and row.name in self.rows else self.place(row.line)
        if place:
            row.file, row.line = place
        else:
            row.line = None


@dataclass(frozen=True)
class NotebookReading:
    """What a notebook or script contains for one lesson.

    Attributes:
        source: the file to be graded; None where there is nothing for the lesson, and `message` says why.
        attempted: False where the notebook does not have the lesson's exercise at all.
        refused: why the notebook is not read for the lesson.
    """

    source: bytes | None = None
    origin: Origin = field(default_factory=Origin)
    message: str | None = None
    attempted: bool = True
    refused: str | None = None


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
