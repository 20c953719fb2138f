"""What a notebook or script contains for a lesson, also where its gradients are parts of objects."""

from __future__ import annotations

from grader.intake.notebook.object_calls import assigns_gradients
from grader.intake.notebook.other_names import looks_like_gradients
from grader.intake.notebook.reading import NotebookReading, read_statements
from grader.intake.notebook.script import Page
from grader.lesson.notebook_table import NotebookLesson


def read_lesson_part(lesson: NotebookLesson, page: Page, shown: str, functions: bool = True) -> NotebookReading:
    """What the cells contain for the lesson; `shown` is the name of the whole in messages. Raises NotebookError.

    With `functions` they may also contain the stub's functions: only where it is known which lesson they are for,
    because several lessons have a function `dx`. Where functions assign gradients, what counts is the notebook without
    them, see plain_variables. Where gradients are missing, that counts if it contains more of them, or shows that what
    is inside a class or function belongs to another exercise.
    """
    found = read_statements(lesson, page, shown, functions)
    chain = lesson.chain
    if lesson.table is None:
        return found
    gradients = {*chain.names, *lesson.table.names}
    values = {name for table in (chain, lesson.table) for name in table.given.values}
    gradients_here = frozenset(gradients | looks_like_gradients(page, gradients))
    is_packaged = any(assigns_gradients(node, gradients_here) for body, _ in page.parsed for node in body)
    if not is_packaged and not any(row in found.origin.missing for row in lesson.rows if row in lesson.table.names):
        return found
    plain = page.without_objects(frozenset(gradients | values), gradients_here)
    if plain is None:
        return found
    other = read_statements(lesson, plain, shown, functions)
    more = gradients_in(other, lesson) - gradients_in(found, lesson)
    return other if is_packaged or more > 0 or (more == 0 and not other.attempted) else found


def gradients_in(reading: NotebookReading, lesson: NotebookLesson) -> int:
    """For how many rows there is something to grade."""
    if reading.source is None:
        return 0
    return len(reading.origin.rows) or sum(row not in reading.origin.missing for row in lesson.rows)
