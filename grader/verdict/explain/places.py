"""Right in some places only, and those are places with a reason: a repeated index, or where the gradient is zero."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.wrong_answer import WrongGradient
from grader.verdict.judge.messages import wrong_elements

MAX_PLACES_SHOWN = 5


def row_indices(problem: Problem, name: str) -> list[str]:
    """The integer tensors in the lines that read `name` whose entries may be rows of it."""
    table = problem.values[name]
    read = {label for consumer in problem.graph.consumers[name] for label in problem.graph.sources[consumer]}
    found = {label: problem.values.get(label) for label in sorted(read)}
    return [
        label
        for label, value in found.items()
        if isinstance(value, Tensor) and value.dtype == torch.int64 and value.numel() and table.ndim
        if int(value.min()) >= 0 and int(value.max()) < table.shape[0]
    ]


def repeated_index(wrong: WrongGradient) -> Iterator[Explanation]:
    """Right in every row that an index names once, wrong where it names one several times."""
    if not wrong.same_shape:
        return
    for label in row_indices(wrong.problems[0], wrong.name):
        shown, once = list[int](), 0
        for problem, (found, expected) in zip(wrong.problems, wrong.pairs, strict=True):
            index = problem.values.get(label)
            if index is None or int(index.max()) >= len(found):
                return
            counts = torch.bincount(index.flatten(), minlength=len(found))
            bad = wrong_elements(found, expected).view(len(found), -1).any(1)
            if bool((bad & (counts < 2)).any()):
                break
            once += int(((counts == 1) & ~bad).sum())
            shown = shown or bad.nonzero().flatten().tolist()
        else:
            if shown and once > 1:
                rows = ", ".join(map(str, shown[:MAX_PLACES_SHOWN])) + (" ..." if len(shown) > MAX_PLACES_SHOWN else "")
                yield Explanation(
                    "repeated_index",
                    f"Your `d{wrong.name}` is right in every row that `{label}` names once, and wrong only in rows "
                    f"that it names more than once (row{'s' if len(shown) > 1 else ''} {rows} of one problem). A row "
                    "that is read several times gets a gradient from each place, and they add up; an assignment "
                    "through an index, and `+=` through one, keep the last.",
                )


def zeros_exchanged(wrong: WrongGradient) -> Iterator[Explanation]:
    """Zero wherever the gradient is not, and not zero wherever it is."""
    is_exchanged = wrong.same_shape and all(bool(((f != 0) == (e == 0)).all()) for f, e in wrong.pairs)
    if is_exchanged and any(bool(f.any()) for f in wrong.found):
        yield Explanation(
            "zeros_exchanged",
            f"Your `d{wrong.name}` is zero wherever the gradient is not, and not zero wherever the gradient is. Is a "
            "mask the wrong way round?",
        )
