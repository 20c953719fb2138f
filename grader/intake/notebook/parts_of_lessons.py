"""What a notebook or script contains for a lesson, also where its gradients are parts of objects."""

from __future__ import annotations

from grader.intake.notebook.reading import NotebookReading, read_statements
from grader.intake.notebook.script import Page
from grader.lesson.notebook_table import NotebookLesson


def read_lesson_part(lesson: NotebookLesson, page: Page, shown: str, functions: bool = True) -> NotebookReading:
    """What the cells contain for the lesson; `shown` is the name of the whole in messages. Raises NotebookError.

    With `functions` they may also contain the stub's functions: only where it is known which lesson they are for,
    because several lessons have a function `dx`. Where gradients are missing, the notebook is read again with plain
    variables for the parts of its objects, and that counts if it
    contains more gradients, or shows that what is inside a class or function belongs to another exercise.
    """
    found = read_statements(lesson, page, shown, functions)
    chain = lesson.chain
    if lesson.table is None or not any(row in found.origin.missing for row in lesson.rows if row in lesson.table.names):
        return found
    given = [table.given for table in (chain, lesson.table)]
    names = {*chain.names, *lesson.table.names, *(name for each in given for name in each.values)}
    plain = page.without_objects(frozenset(names))
    if plain is None:
        return found
    other = read_statements(lesson, plain, shown, functions)
    more = gradients_in(other, lesson) - gradients_in(found, lesson)
    return other if more > 0 or (more == 0 and not other.attempted) else found


def gradients_in(reading: NotebookReading, lesson: NotebookLesson) -> int:
    """For how many rows there is something to grade."""
    if reading.source is None:
        return 0
    return len(reading.origin.rows) or sum(row not in reading.origin.missing for row in lesson.rows)
