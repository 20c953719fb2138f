"""An axis that is as long as the data happen to need: `F.one_hot` without the number of classes, and its like.

Such a step runs where the last class occurs and fails where it does not, so the error's own text misleads. The numbers
show it: on every problem that fails, the width that these functions make appears in the error or in the shape of the
answer; on every other problem that width is the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

from torch import Tensor

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.needs import FunctionContents
from grader.verdict.explain.wrong_answer import Cases

NUMBER_IN_AN_ERROR = re.compile(r"\d+")


def width_from_the_data(name: str, cases: Cases, contents: FunctionContents | None = None) -> Explanation | None:
    """Why d`name` raises or has a wrong shape on some `cases`, if the data decide how long an axis is.

    `contents` is what its code is made of, where that is known: without such a call, sizes fit by chance.
    """
    if contents is not None and not contents.get("open_widths", True):
        return None
    failing = [case for case in cases if has_no_right_shape(name, *case)]
    if not failing or any(answer.outcome not in ("returned", "raised") for _, answer in cases):
        return None
    reads = frozenset[str]().union(*(answer.uses for _, answer in cases))
    problem, _ = failing[0]
    for source, width_of in product(sources_of_width(problem, reads), (largest_entry, distinct_entries)):
        widths = [width_of(source, each)[0] for each, _ in cases]
        if all(fits_width(name, width, *case) for width, case in zip(widths, cases, strict=True)):
            return Explanation("left_to_the_data", width_of(source, problem)[1])
    return None


def has_no_right_shape(name: str, problem: Problem, answer: Answer) -> bool:
    """Whether the step raised there, or returned a tensor of another shape."""
    shape = problem.values[name].shape
    return answer.outcome == "raised" or (answer.tensor is not None and answer.tensor.shape != shape)


def fits_width(name: str, width: int, problem: Problem, answer: Answer) -> bool:
    """Whether an axis of `width` explains this answer: it is too short where the step fails, and right elsewhere."""
    shape = problem.values[name].shape
    if not has_no_right_shape(name, problem, answer):
        return width == 1 or width in axis_lengths(problem)  # one of length 1 is broadcast to any other
    if answer.tensor is None:
        numbers = {int(number) for number in NUMBER_IN_AN_ERROR.findall(answer.message)}
        return width in numbers and any(number > width for number in numbers & axis_lengths(problem))
    pairs = zip(answer.tensor.shape, shape, strict=False)
    return answer.tensor.ndim == len(shape) and any(found == width < expected for found, expected in pairs)


def axis_lengths(problem: Problem) -> set[int]:
    """The lengths of all axes of all forward values."""
    return {size for value in problem.values.values() if isinstance(value, Tensor) for size in value.shape}


def sources_of_width(problem: Problem, reads: frozenset[str]) -> Iterator[str]:
    """What such a width may be made from: integers, and the places of maxima. All values, where `reads` is empty."""
    read = [name for name in problem.values if name in reads or not reads]
    yield from (name for name in read if is_integer(problem.values[name]))
    if reads:
        yield from (name for name in read if is_float_table(problem.values[name]))


def is_integer(value: Any) -> bool:
    """Whether a value is a tensor of integers."""
    return isinstance(value, Tensor) and value.numel() > 0 and not value.is_floating_point()


def is_float_table(value: Any) -> bool:
    """Whether a value is a matrix of floating-point numbers."""
    return isinstance(value, Tensor) and value.ndim == 2 and value.numel() > 0 and value.is_floating_point()


def label_values(source: str, problem: Problem) -> Tensor:
    """The integers themselves; of a table, where each row has its maximum."""
    value: Tensor = problem.values[source]
    return value if is_integer(value) else value.argmax(1)


def largest_entry(source: str, problem: Problem) -> tuple[int, str]:
    """One more than the largest entry, as `F.one_hot`, `bincount` and `x.max() + 1` have it: (width, explanation)."""
    width, of_labels = int(label_values(source, problem).max()) + 1, is_integer(problem.values[source])
    where = f"number in `{source}` is" if of_labels else f"column with a row's maximum of `{source}` is"
    return width, (
        f"The number of classes is left to the data: the largest {where} {width - 1} here, so `F.one_hot` without "
        f"`num_classes` (or `bincount` without `minlength`, or `max() + 1`) makes {width} of them. There are more: "
        "pass their number."
    )


def distinct_entries(source: str, problem: Problem) -> tuple[int, str]:
    """How many different entries there are, as `unique` and a `set` have it: (width, explanation)."""
    width = len(set(label_values(source, problem).flatten().tolist()))
    return width, (
        f"The number of classes is left to the data: `{source}` has {width} different entries here, and `unique` "
        "leaves out all others. There are more: take their number from a shape."
    )
