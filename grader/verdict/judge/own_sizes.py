"""What a notebook may write differently from a stub: sizes as numbers, and shapes with other axes of length one.

`F.one_hot(Yb, 27)` is correct in a notebook whose vocabulary has 27 characters, and wrong in a function that must work
at any size. So a gradient of a notebook that is wrong on the hidden problems is judged again, on problems of the
notebook's own sizes, which are as secret and as random. It earns its points if

* it is right on all of these,
* and where one size alone is changed and it becomes wrong, the size is a number in its statements, or a count of parts
  that are written one by one (`x[0]`, `x[1]`, `x[2]`). A wrong formula that is right by chance at these sizes (divided
  by the hidden size, which happens to equal the batch size) has none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from torch import Tensor

from grader.lesson.lesson import Lesson
from grader.lesson.notebook_lesson import PRIMES, notebook_table, sizes_in_length
from grader.lesson.notebook_table import LessonSizes
from grader.reference.problem import Draw, Problem, derive
from grader.source.syntax import WrittenNumber

MAX_PROBLEM_ELEMENTS = 1 << 20
"""Elements of all forward values of one problem, some 45 times as many as at the lecture's sizes."""
MANY_ELEMENTS = 1 << 18
FEW_DRAWS = 3
"""Problems of that many elements that decide. Of smaller ones there are as many as hidden problems."""


@dataclass(frozen=True)
class Terms:
    """What a submission is judged by, besides its numbers.

    Attributes:
        broadcast: a shape that differs in axes of length one only is accepted.
        sizes: {size: its value} of a notebook; None where all sizes have to be right.
        numbers: {row: the numbers in its statements}.
        is_notebook: it is a notebook or script in the lecture's style, whose steps are lines of one text.
    """

    broadcast: bool = False
    sizes: Mapping[str, int] | None = None
    numbers: Mapping[str, Sequence[WrittenNumber]] = field(default_factory=dict)
    is_notebook: bool = False


STRICT = Terms()


def terms_of(
    lesson: Lesson, sizes: Mapping[str, int] | None, numbers: Mapping[str, Sequence[WrittenNumber]] | None = None
) -> Terms:
    """The terms of a submission by the course's settings.

    Without any settings: strict for functions, broadcast for a notebook or script in the lecture's style.

    Args:
        sizes: {size: its value} of a notebook; None for functions.
        numbers: {row: the numbers in its statements} of a notebook.
    """
    broadcast = lesson.settings.shape == "broadcast" or (lesson.settings.shape is None and sizes is not None)
    if sizes is None:
        return Terms(broadcast) if broadcast else STRICT
    return Terms(broadcast, sizes if are_drawable(lesson, sizes) else None, numbers or {}, is_notebook=True)


def are_drawable(lesson: Lesson, sizes: Mapping[str, int]) -> bool:
    """Whether a problem of these sizes is small enough to be drawn for one notebook."""
    if not sizes or min(sizes.values()) < 2:
        return False
    return is_published(lesson, sizes) or count_elements(lesson, sizes) <= MAX_PROBLEM_ELEMENTS


def count_elements(lesson: Lesson, sizes: Mapping[str, int]) -> int:
    """How many elements all forward values of a problem of these sizes have."""
    return sum(math.prod(sizes.get(size, 1) for axis in shape for size in axis) for shape in sizes_of_axes(lesson))


@lru_cache(maxsize=64)
def sizes_of_axes(lesson: Lesson) -> list[list[list[str]]]:
    """For each forward value, for each of its axes: the sizes whose product it is."""
    primes = dict(zip(notebook_sizes(lesson).published, PRIMES, strict=False))
    values = lesson.problem(Draw(primes), 0, random_upstream=False).values
    return [[sizes_in_length(n, primes) for n in value.shape] for value in values.values() if isinstance(value, Tensor)]


def notebook_sizes(lesson: Lesson) -> LessonSizes:
    """The sizes of the lesson that a notebook may set; none where the lesson takes nothing from a notebook."""
    table = notebook_table(lesson)
    return table.sizes if table else LessonSizes()


def is_published(lesson: Lesson, sizes: Mapping[str, int] | None) -> bool:
    """Whether these are the lecture's sizes, or none are given."""
    published = notebook_sizes(lesson).published
    return sizes is None or all(published.get(size) == value for size, value in sizes.items())


class OwnProblems(NamedTuple):
    """Problems at a notebook's sizes, and for each size one in which it alone is larger, and one where it is smaller.

    `lecture` is one at the lecture's sizes, where those are others.
    """

    same: list[Problem]
    larger: dict[str, Problem]
    smaller: dict[str, Problem]
    lecture: Problem | None = None

    @property
    def all(self) -> list[Problem]:
        return [*self.same, *self.larger.values(), *self.smaller.values(), *([self.lecture] if self.lecture else [])]


def own_problems(lesson: Lesson, draws: Sequence[Draw], sizes: Mapping[str, int], seed: int) -> OwnProblems:
    """Draws them. The hidden draws that decide are all made again at these sizes, with other seeds."""
    same: list[Problem] = []
    deciding = [draw for draw in draws if not draw.note]
    for number, draw in enumerate(deciding if count_elements(lesson, sizes) <= MANY_ELEMENTS else deciding[:FEW_DRAWS]):
        own = {**draw.sizes, **sizes}
        part = derive(seed, lesson.name, "own sizes", number)
        try:
            same.append(lesson.problem(Draw(own, draw.change), part))
        except (IndexError, RuntimeError):  # a change that needs other sizes, as an index of its own
            same.append(lesson.problem(Draw(own), part))
    larger, smaller = (
        {size: lesson.problem(Draw(other), derive(seed, lesson.name, label, size)) for size, other in changed.items()}
        for label, changed in (("other", larger_sizes(sizes)), ("smaller", smaller_sizes(sizes)))
    )
    lecture = None
    if not is_published(lesson, sizes):
        lecture = lesson.problem(Draw(), derive(seed, lesson.name, "the lecture's sizes"))
    return OwnProblems(same, larger, smaller, lecture)


def larger_sizes(sizes: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """For each size the sizes with that one larger: a number that is neither of the others nor next to one."""
    return {
        size: {**sizes, size: next(n for n in itertools.count(value + 2) if is_far(n, sizes))}
        for size, value in sizes.items()
    }


def smaller_sizes(sizes: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """For each size above 2 the sizes with that one smaller. Only code that fails at fewer parts fails there alone."""
    return {
        size: {**sizes, size: next((n for n in range(value - 2, 1, -1) if is_far(n, sizes)), value - 1)}
        for size, value in sizes.items()
        if value > 2
    }


def is_far(number: int, sizes: Mapping[str, int]) -> bool:
    """Whether it is none of the sizes and not next to one."""
    return all(abs(number - value) > 1 for value in sizes.values())
