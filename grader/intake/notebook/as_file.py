"""A backward.py written out of a notebook's statements: each gradient as a function, or the functions of the stub."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from grader.intake.lesson_files import Origin
from grader.intake.notebook.script import NotebookScript, Statement
from grader.intake.notebook.slices import Slice
from grader.lesson.notebook_table import NotebookLesson
from grader.sandbox.workers.imports import INERT
from grader.source.syntax import DefinitionNode

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


def with_functions(
    lesson: NotebookLesson, script: NotebookScript, names: Sequence[str], definitions: Mapping[str, int]
) -> tuple[bytes, Origin]:
    """A file with the lesson's functions, the imports, functions and values that they need, and no other code.

    `definitions` as in `reading.read_lesson_part`. A function that Python cannot read is missing, with the reason.
    """
    left_out = set(other_definitions(script, definitions))
    by_name: dict[str, list[int]] = {}
    for i, statement in enumerate(script.statements):
        for name in statement.names.binds | statement.names.changes if i not in left_out else ():
            by_name.setdefault(name, []).append(i)
    chosen: set[int] = set()
    seen, waiting = set(names), list(names)
    while waiting:
        for i in by_name.get(waiting.pop(), []):
            needed = script.statements[i].names
            if i not in chosen and not script.statements[i].opaque:
                chosen.add(i)
                waiting += (needed.reads | needed.late) - seen
                seen |= needed.reads | needed.late
    file = FileWriter()
    for i, statement in enumerate(script.statements):
        star = isinstance(statement.node, ast.ImportFrom) and statement.node.names[0].name == "*"
        if i in chosen or (star and modules(statement.node) <= AT_THE_TOP):
            file.statement(statement, "")
    missing = {
        row: f"`{needed}` is in lines that Python cannot read: {broken.in_words}"
        for row, needed in lesson.rows.items()
        for broken in script.broken
        if needed not in names and broken.has(needed)
    }
    return file.source, Origin(file.places, script.texts, missing)


def other_definitions(script: NotebookScript, definitions: Mapping[str, int]) -> Iterator[int]:
    """The numbers of statements that define a function of the lesson as another lesson has it."""
    counted: dict[str, int] = {}
    for i, statement in enumerate(script.statements):
        name = statement.node.name if isinstance(statement.node, DefinitionNode) else ""
        if name in definitions:
            if counted.get(name, 0) != definitions[name]:
                yield i
            counted[name] = counted.get(name, 0) + 1
