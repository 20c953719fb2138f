"""A script's own names for sizes, as names for values of a lesson."""

from __future__ import annotations

from dataclasses import replace

from grader.intake.notebook.sizes import SizeReader, names_of_sizes
from grader.intake.notebook.uses import Uses
from grader.lesson.notebook_table import LessonSizes, NotebookTable

MAX_RUNS = 10
"""Assignments to one gradient that are searched for names of sizes, the last ones."""


def with_names_of_sizes(table: NotebookTable, sizes: LessonSizes, reader: SizeReader, uses: Uses) -> NotebookTable:
    """What the lesson wants, with the script's own names for sizes among the names for values."""
    gradients = [*table.names, *(name for name, other in table.given.others.items() if other in table.names)]
    places = [run[0] for name in gradients for run in uses.runs.get(name, [])[-MAX_RUNS:] if run]
    known = {*table.given.values, *table.given.gradients, *table.given.same}
    same = {**names_of_sizes(reader, sizes, places, known), **table.given.same}
    lengths = sizes.lengths({*known, *table.given.others, *table.given.compared})
    return replace(table, given=replace(table.given, same=same, lengths=lengths))
