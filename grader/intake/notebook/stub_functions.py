"""A notebook that defines the stub's functions, as the file of a lesson: these and what they need."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.intake.notebook.as_file import AT_THE_TOP, FileWriter, NotebookReading, Origin, modules
from grader.intake.notebook.script import NotebookScript, Page
from grader.lesson.notebook_table import NotebookLesson


def with_functions(lesson: NotebookLesson, script: NotebookScript, page: Page, names: Sequence[str]) -> NotebookReading:
    """The lesson's functions, with the imports, functions and values that they need, and no other code."""
    by_name: dict[str, list[int]] = {}
    for i, statement in enumerate(script.statements):
        for name in statement.names.binds | statement.names.changes:
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
    file = FileWriter(page.written)
    for i, statement in enumerate(script.statements):
        star = isinstance(statement.node, ast.ImportFrom) and statement.node.names[0].name == "*"
        if i in chosen or (star and modules(statement.node) <= AT_THE_TOP):
            file.statement(statement, "")
    broken = script.broken
    missing = {
        row: f"`{needed}` is in lines that Python cannot read: {b.in_words}"
        for row, needed in lesson.rows.items()
        for b in broken
        if needed not in names and needed in b.text
    }
    if len(file.lines) == 0:
        return NotebookReading(None, Origin(), "Its functions cannot be read.")
    return NotebookReading(file.source, Origin(file.places, {cell.file: cell.text for cell in page.cells}, missing))
