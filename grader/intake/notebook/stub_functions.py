"""A notebook that defines the stub's functions, as the file of a lesson: these and what they need."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from grader.intake.lesson_files import Origin
from grader.intake.notebook.as_file import AT_THE_TOP, FileWriter, modules
from grader.intake.notebook.script import NotebookScript
from grader.lesson.notebook_table import NotebookLesson
from grader.source.syntax import DefinitionNode


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
