"""Where a wrong gradient is wrong, and by how much: what is always true of it, for a mistake that nothing explains."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from grader.comparison.tensors import TensorComparison, index_at
from grader.reference.problem import Draw
from grader.results.wording import listed
from grader.verdict.judge.checks import right_on
from grader.verdict.judge.line import Case, compare_answer

ELEMENT_RTOL = 1e-9
"""An element is right within this share of the gradient's largest."""


def where_it_is_wrong(name: str, cases: Sequence[Case]) -> str:
    """Where and how far the tensors that answer d`name` are off; at least one of them is wrong."""
    compared = [(case, compare_answer(name, *case)) for case in cases]
    failing = [each for each in compared if not each[1].passed]
    shapes = [each for each in failing if each[1].stage == "shape"]
    (problem, answer), comparison = (shapes or failing)[0]
    assert answer.tensor is not None
    text = describe_error(answer.tensor, problem.reference(name), comparison)
    if 0 < len(shapes) < len(failing):
        text = f"With {problem.draw.describe()}: {text[0].lower()}{text[1:]}"
    right = [case[0].draw for case, comparison in compared if comparison.passed]
    if not right:
        return text
    wrong = [case[0].draw for case, _ in failing]  # where nothing is special, any of the sizes may be the cause
    special = smallest_sizes(wrong, right, "is right")
    return f"{text} {special or right_on(len(right), len(compared), wrong[0].describe())}"


def describe_error(found: Tensor, expected: Tensor, comparison: TensorComparison) -> str:
    """Sentences on an answer of the right shape with finite numbers; for any other the comparison's own message."""
    if comparison.message:
        return comparison.message
    difference = (found.double() - expected.double()).abs().nan_to_num(nan=float("inf"))
    index = index_at(int(difference.argmax()), difference.shape)
    error = comparison.relative_error or 0.0  # next to a gradient of zero, a share says nothing
    size = f": the error is {error:.2g} of the gradient's size" if error < 50 else ""
    worst = f"{list(index)}: found {float(found[index]):.9g}, expected {float(expected[index]):.9g}"
    return f"The value is wrong{size}. Worst element {worst}. {wrong_places(found, expected)}".rstrip()


def wrong_places(found: Tensor, expected: Tensor) -> str:
    """A sentence when only some rows, some columns or some elements are wrong."""
    wrong = (found.double() - expected.double()).abs() > ELEMENT_RTOL * expected.double().abs().max()
    if expected.ndim == 2:
        for axis, word in ((1, "rows"), (0, "columns")):
            lines = wrong.any(axis).nonzero().flatten().tolist()
            total = expected.shape[1 - axis]
            if 0 < len(lines) < total:
                shown = ", ".join(map(str, lines[:5])) + (f" and {len(lines) - 5} more" if len(lines) > 5 else "")
                return f"{out_of(len(lines), total)} {word} are wrong: {shown}."
    count, total = int(wrong.sum()), wrong.numel()
    if 0 < count < total:
        first = [int(i) for i in wrong.nonzero()[0]]
        return f"{out_of(count, total)} elements are wrong, the first of them {first}."
    return ""


def out_of(count: int, total: int) -> str:
    """ "Only 3 of 40", but "39 of 40"."""
    return f"{'Only ' if 2 * count <= total else ''}{count} of {total}"


# On which problems it is wrong ---------------------------------------------------------------------------------------


def smallest_sizes(failing: Sequence[Draw], right: Sequence[Draw], verb: str) -> str:
    """A sentence on sizes of 0 or 1 that only the problems have on which it `verb`, such as no padding; "" for none."""
    special = [
        f"{name} is {size}"
        for name, size in right[0].sizes.items()
        if size in (0, 1) and all(draw.sizes.get(name) == size for draw in right)
        if all(draw.sizes.get(name) != size for draw in failing)
    ]
    others = "another problem" if len(right) == 1 else f"{len(right)} other problems"
    return f"It {verb} on {others}, where {listed(special)}." if special else ""
