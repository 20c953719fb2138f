"""Right in some places only, and those are places with a reason: a repeated index, or where the gradient is zero."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.problem_values import value_here
from grader.verdict.explain.wrong_answer import WrongGradient, first_telling, multiple_of
from grader.verdict.judge.messages import wrong_elements

MAX_PLACES_SHOWN = 5
MIN_ELEMENTS_WITH_A_FACTOR = 3
"""Elements, over all problems, that have to share a factor."""


def row_indices(problem: Problem, name: str) -> Iterator[str]:
    """The integer tensors in the lines that read `name` whose entries may be rows of it."""
    table = problem.values[name]
    for consumer in problem.graph.consumers[name]:
        for label in sorted(problem.graph.sources[consumer]):
            value = problem.values.get(label)
            if not isinstance(value, Tensor) or value.dtype != torch.int64 or not value.numel():
                continue
            if table.ndim and int(value.min()) >= 0 and int(value.max()) < table.shape[0]:
                yield label


def repeated_index(wrong: WrongGradient) -> Iterator[Explanation]:
    """Right in every row that an index names once, wrong where it names one several times."""
    if not wrong.is_whole_in_shape:
        return
    name = wrong.name
    for label in row_indices(wrong.problems[0], name):
        shown: list[int] = []
        once = 0
        for problem, found, expected in zip(wrong.problems, wrong.found, wrong.expected, strict=True):
            if label not in row_indices(problem, name):
                break
            counts = torch.bincount(problem.values[label].flatten(), minlength=found.shape[0])
            bad = wrong_elements(found, expected)
            bad = bad.flatten(1).any(1) if bad.ndim > 1 else bad
            if bool((bad & (counts < 2)).any()):
                break
            once += int(((counts == 1) & ~bad).sum())
            shown = shown or bad.nonzero().flatten().tolist()
        else:
            if shown and once > 1:
                rows = ", ".join(map(str, shown[:MAX_PLACES_SHOWN])) + (" ..." if len(shown) > MAX_PLACES_SHOWN else "")
                places = f"row {rows}" if len(shown) == 1 else f"rows {rows}"
                yield Explanation(
                    "repeated_index",
                    f"Your `d{name}` is right in every row that `{label}` names once, and wrong only in rows that it "
                    f"names more than once ({places} of one problem). A row that is read several times gets a "
                    "gradient from each place, and they add up; an assignment through an index, and `+=` through one, "
                    "keep the last.",
                )


def wrong_zeros(wrong: WrongGradient) -> Iterator[Explanation]:
    """Right wherever the gradient is not zero, but not zero where it should be; or zero too often; or both."""
    if not wrong.is_whole_in_shape:
        return
    cases = [(found, expected, wrong_elements(found, expected)) for found, expected in wrong.pairs]
    _, expected, bad = cases[0]
    exchanged = all(bool(((f != 0) == (e == 0)).all()) for f, e, _ in cases)
    if exchanged and any(bool(f.any()) and bool(e.any()) for f, e, _ in cases):
        yield Explanation(
            "zeros_exchanged",
            f"Your `d{wrong.name}` is zero wherever the gradient is not, and not zero wherever the gradient is. Is a "
            "mask the wrong way round?",
        )
        return
    have_zeros = all(bool((e == 0).any()) and bool((e != 0).any()) for _, e, _ in cases)
    if have_zeros and all(bool(bad.any()) and not bool((bad & (e != 0)).any()) for _, e, bad in cases):
        yield Explanation(
            "not_zero_elsewhere",
            f"Your `d{wrong.name}` is right wherever the gradient is not zero; but where it is zero, {int(bad.sum())} "
            f"of {int((expected == 0).sum())} elements of yours are not. Those elements do not change what is computed "
            "from them: which ones are picked by the forward line?",
        )
    if all(bool(bad.any()) and not bool((bad & (f != 0)).any()) and bool((f != 0).any()) for f, _, bad in cases):
        yield Explanation(
            "zero_too_often",
            f"Your `d{wrong.name}` is right wherever it is not zero; but it is zero at {int(bad.sum())} of the "
            f"{int((expected != 0).sum())} places where the gradient is not.",
        )


def factor_in_places(wrong: WrongGradient) -> Iterator[Explanation]:
    """Right in some elements, and the same multiple of the gradient in all others."""
    if not wrong.is_whole_in_shape:
        return
    values, wrong_in_all, first = list[float](), 0, ""
    for found, expected in wrong.pairs:
        bad = wrong_elements(found, expected)
        k = multiple_of(found[bad], expected[bad]) if bool(bad.any()) else 1.0
        if k is None or bool((bad & wrong_elements(found, k * expected)).any()):
            return
        values.append(k)
        if bool(bad.any()):
            if not bool((~bad & (expected != 0)).any()):
                return
            wrong_in_all += int(bad.sum())
            first = first or f"in {int((~bad).sum())} of {bad.numel()} elements of one problem"
    label = wrong.constant(values) if wrong_in_all >= MIN_ELEMENTS_WITH_A_FACTOR else None
    if label is None or label == "1":
        return
    here = value_here(label, values[first_telling(values)])
    times = "exactly minus what it should be" if label == "−1" else f"exactly {label} times what it should be{here}"
    yield Explanation(
        "factor_in_places",
        f"Your `d{wrong.name}` is right {first}; in all others it is {times}. Which line treats some elements "
        "differently from the others?",
    )
