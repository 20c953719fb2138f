"""Completes the `[notebook]` table of a lesson (notebook_table.py) from the lesson's own files."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from grader.lesson.forward_statements import forward_expressions
from grader.lesson.lesson import Course, Lesson
from grader.lesson.notebook_table import NotebookLesson, NotebookTable

PRIMES = (11, 13, 17, 19, 23, 29, 31, 37)
"""Sizes to draw with: the length of an axis shows which sizes it is the product of."""


@lru_cache(maxsize=64)
def notebook_table(lesson: Lesson) -> NotebookTable | None:
    """The lesson's `[notebook]` table; None for a lesson without one, or without the lesson that it follows."""
    table = lesson.notebook
    if table is None:
        return None
    if table.after and not (lesson.course / "exercises" / table.after / "lesson.toml").is_file():
        return None  # a course without the lesson whose chain it follows
    graph = lesson.public.graph
    names = table.names or tuple(item.name for item in lesson.gradients)
    if table.loop and lesson.joint is not None:
        names = lesson.joint.returns
    chosen = table.values or {*graph.values, *("d" + name for name in graph.names)}
    consumers = {name: graph.consumers.get(name[1:], ()) for name in names}
    found = replace(
        table,
        names=names,
        values=frozenset(chosen & graph.values.keys()),
        gradients=frozenset(chosen - graph.values.keys()),
        groups=dict(getattr(lesson.module, "GROUPS", {})),
        consumers={name: frozenset("d" + each for each in own if each != "loss") for name, own in consumers.items()},
        forward=forward_expressions(lesson),
    )
    return with_sizes(lesson, found, chosen)


def with_sizes(lesson: Lesson, table: NotebookTable, chosen: Collection[str]) -> NotebookTable:
    """The table with the sizes of the lesson's inputs, and where its forward values show them.

    Draws one problem in which every size is a different prime number. `chosen` are the values that the student's
    functions may request.
    """
    from grader.reference.problem import Draw  # imports torch, which reading a notebook's text does not need

    parameters = inspect.signature(lesson.module.inputs).parameters.values()
    published = {p.name: p.default for p in parameters if type(p.default) is int}
    primes = dict(zip(published, PRIMES, strict=False))
    if len(primes) < len(published):
        return table
    values = lesson.problem(Draw(primes), 0, random_upstream=False).values
    scalars = {
        name: size
        for name, value in values.items()
        for size, prime in primes.items()
        if name in chosen and type(value) is int and value == prime
    }

    def sizes_in(length: int) -> list[str]:
        """The sizes whose product is `length`; empty where it is no product of sizes."""
        parts = [size for size, prime in primes.items() if length % prime == 0]
        return parts if math.prod(primes[size] for size in parts) == length else []

    axes = {
        name: list(map(sizes_in, value.shape))
        for name, value in values.items()
        if name in chosen and hasattr(value, "shape")
    }
    found = replace(table, scalars=scalars, axes=axes)
    shapes = [f"{name}.shape[{n}]" for name, lengths in axes.items() for n in range(len(lengths))]
    expressions: dict[str, str] = {}
    for expression in (*scalars, *table.same.values(), *shapes):
        size = found.size_of(expression)
        if size is not None:
            expressions.setdefault(size, expression)
    shown = {size: value for size, value in published.items() if size in expressions}
    return replace(found, sizes=shown, expressions=expressions)


@lru_cache(maxsize=64)
def notebook_lesson(lesson: Lesson) -> NotebookLesson:
    """The lesson as the reader of notebooks receives it."""
    table = chain = notebook_table(lesson)
    if table is not None and table.after:
        chain = notebook_table(Lesson(lesson.course, table.after, secrets=False))
    if table is not None and chain is not None and chain is not table:  # its values show the same sizes
        known = table.sizes.keys()
        scalars = {name: size for name, size in chain.scalars.items() if size in known}
        axes = {name: [each if known >= {*each} else [] for each in own] for name, own in chain.axes.items()}
        table = replace(table, scalars={**scalars, **table.scalars}, axes={**axes, **table.axes})
    stepwise: NotebookTable | None = None
    if table is not None and table.loop:
        others = Course(lesson.course).lessons.values()
        stepwise = next((notebook_table(each) for each in others if each.notebook and each.notebook.again), None)
    return NotebookLesson(
        lesson.name,
        {item.name: item.function for item in lesson.items},
        [item.name for item in lesson.gradients],
        lesson.joint.name if lesson.joint else None,
        table,
        chain or NotebookTable(),
        stepwise,
    )
