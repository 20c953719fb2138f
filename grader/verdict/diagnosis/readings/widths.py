"""An axis that is as long as the data happen to need: `F.one_hot` without the number of classes, and its like.

Such a step runs where the last class occurs and fails where it does not, so the error's own text misleads. The numbers
show it: on every problem that fails, the width that these functions make appears in the error or in the shape of the
answer; on every other problem that width is the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any, Protocol

from torch import Tensor

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.verdict.diagnosis.claims import Contents
from grader.verdict.diagnosis.explanation import Explanation
from grader.verdict.diagnosis.mismatch import Cases

NUMBER = re.compile(r"\d+")


def width_from_the_data(name: str, cases: Cases, contents: Contents | None = None) -> Explanation | None:
    """Why d`name` raises or has a wrong shape on some `cases`, if the data decide how long an axis is.

    `contents` is what its code is made of, where that is known: without such a call, sizes fit by chance.
    """
    if contents is not None and not contents.get("open_widths", True):
        return None
    failing = [case for case in cases if fails(name, *case)]
    if not failing or any(answer.outcome not in ("returned", "raised") for _, answer in cases):
        return None
    reads = frozenset[str]().union(*(answer.uses for _, answer in cases))
    problem, _ = failing[0]
    for source, width_of in product(sources(problem, reads), WIDTHS):
        found = [width_of.width(source, each) for each, _ in cases]
        if all(fits(name, width, *case) for width, case in zip(found, cases, strict=True)):
            return Explanation("left_to_the_data", width_of.words(source, problem))
    return None


def fails(name: str, problem: Problem, answer: Answer) -> bool:
    """Whether the step raised there, or returned a tensor of another shape."""
    shape = problem.values[name].shape
    return answer.outcome == "raised" or (answer.tensor is not None and answer.tensor.shape != shape)


def fits(name: str, width: int, problem: Problem, answer: Answer) -> bool:
    """Whether an axis of `width` explains this answer: it is too short where the step fails, and right elsewhere."""
    shape = problem.values[name].shape
    if not fails(name, problem, answer):
        return width in sizes_of(problem)
    if answer.tensor is None:
        numbers = {int(number) for number in NUMBER.findall(answer.message)}
        return width in numbers and any(number > width for number in numbers & sizes_of(problem))
    pairs = zip(answer.tensor.shape, shape, strict=False)
    return answer.tensor.ndim == len(shape) and any(found == width < expected for found, expected in pairs)


def sizes_of(problem: Problem) -> set[int]:
    """The lengths of all axes of all forward values."""
    return {size for value in problem.values.values() if isinstance(value, Tensor) for size in value.shape}


def sources(problem: Problem, reads: frozenset[str]) -> Iterator[str]:
    """What such a width may be made from: integers, and the places of maxima. All values, where `reads` is empty."""
    read = [name for name in problem.values if name in reads or not reads]
    yield from (name for name in read if is_integer(problem.values[name]))
    if reads:
        yield from (name for name in read if is_table(problem.values[name]))


def is_integer(value: Any) -> bool:
    return isinstance(value, Tensor) and value.numel() > 0 and not value.is_floating_point()


def is_table(value: Any) -> bool:
    return isinstance(value, Tensor) and value.ndim == 2 and value.numel() > 0 and value.is_floating_point()


def indices(source: str, problem: Problem) -> Tensor:
    """The integers themselves; of a table, where each row has its maximum."""
    value: Tensor = problem.values[source]
    return value if is_integer(value) else value.argmax(1)


class Width(Protocol):
    """How code makes the length of an axis from integers."""

    def width(self, source: str, problem: Problem) -> int: ...

    def words(self, source: str, problem: Problem) -> str: ...


class Largest:
    """One more than the largest entry, as `F.one_hot`, `bincount` and `x.max() + 1` have it."""

    def width(self, source: str, problem: Problem) -> int:
        return int(indices(source, problem).max()) + 1

    def words(self, source: str, problem: Problem) -> str:
        width, of_labels = self.width(source, problem), is_integer(problem.values[source])
        where = f"number in `{source}` is" if of_labels else f"column with a row's maximum of `{source}` is"
        return (
            f"The number of classes is left to the data: the largest {where} {width - 1} here, so `F.one_hot` without "
            f"`num_classes` (or `bincount` without `minlength`, or `max() + 1`) makes {width} of them. There are more: "
            "pass their number."
        )


class Distinct:
    """How many different entries there are, as `unique` and a `set` have it."""

    def width(self, source: str, problem: Problem) -> int:
        return len(set(indices(source, problem).flatten().tolist()))

    def words(self, source: str, problem: Problem) -> str:
        width = self.width(source, problem)
        return (
            f"The number of classes is left to the data: `{source}` has {width} different entries here, and `unique` "
            "leaves out all others. There are more: take their number from a shape."
        )


WIDTHS: tuple[Width, ...] = (Largest(), Distinct())
