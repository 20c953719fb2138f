"""Where several operations are one step: what flows back along one line inside it is missing, or has a wrong factor.

The step is taken apart by recording the forward pass again with its fused names as steps of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.diagnosis.evidence import Explanation, Wrong, kept
from grader.verdict.diagnosis.ratios import ZERO, constant
from grader.verdict.diagnosis.readings.factors import steadily, surplus_of

MOST_EDGES = 40

Edge = tuple[str, str]
"""(what is read, the line that reads it)"""


def edges(problem: Problem, name: str) -> dict[Edge, Tensor]:
    """What flows back along each line of the finer graph that lies between d`name` and what it is fed."""

    def make() -> dict[Edge, Tensor]:
        fine, coarse = problem.finer, problem.graph
        inside = fine.above(name)
        if problem.random_upstream:
            inside = inside & set(coarse.fused)
            arriving = {c: problem.upstream[c] for c in coarse.consumers[name]}
        else:
            arriving = dict(problem.ends)
        found: dict[Edge, Tensor] = {}
        for consumer in reversed(list(fine.parents)):
            if consumer not in arriving:
                continue
            for parent, share in fine.vjp(consumer, arriving[consumer]).items():
                if parent == name or parent in inside:
                    found[parent, consumer] = share
                    arriving[parent] = arriving[parent] + share if parent in arriving else share
        return found if len(found) <= MOST_EDGES else {}

    return kept(problem, ("edges", name), make)


def carried(problem: Problem, name: str, edge: Edge) -> Tensor | None:
    """The part of d`name` that flows along one line."""
    share = edges(problem, name).get(edge)
    return (
        None if share is None else kept(problem, ("carried", name, edge), lambda: down(problem, name, edge[0], share))
    )


def down(problem: Problem, name: str, start: str, share: Tensor) -> Tensor:
    """What an upstream gradient of `start` alone gives for d`name`."""
    known, arriving = edges(problem, name), {start: share}
    for consumer in reversed(list(problem.finer.parents)):
        if consumer in arriving and consumer != name:
            for parent, part in problem.finer.vjp(consumer, arriving[consumer]).items():
                if (parent, consumer) in known:
                    arriving[parent] = arriving[parent] + part if parent in arriving else part
    result = arriving.get(name)
    return (torch.zeros_like(problem.values[name]) if result is None else result).double()


def inner_lines(wrong: Wrong) -> Iterator[Explanation]:
    """In a step of several operations: what flows back along one line is missing, or has a wrong factor."""
    found = surplus_of(wrong)
    if found is None:
        return
    surplus, number, places = found
    for edge in edges(wrong.problems[number], wrong.name):
        tensor = carried(wrong.problems[number], wrong.name, edge)
        assert tensor is not None
        if not steadily(surplus[number], places, tensor):
            continue
        label = inner_label(wrong, surplus, edge)
        if label is not None:
            parent, consumer = edge
            what = f"the part of the gradient that flows back from `{consumer}` to `{parent}`"
            if label == "0":
                yield Explanation("inner_branch_missing", f"Your `d{wrong.name}` lacks {what}; all the rest is right.")
            elif label == "−1":
                yield Explanation(
                    "inner_branch_sign",
                    f"In your `d{wrong.name}`, {what} has its sign turned round; the rest is right.",
                )
            else:
                yield Explanation(
                    "inner_branch_ratio",
                    f"In your `d{wrong.name}`, {what} is exactly {label} times what it should be; all the rest is "
                    "right.",
                )


def inner_label(wrong: Wrong, surplus: Sequence[Tensor], edge: Edge) -> str | None:
    values = []
    for number, problem in enumerate(wrong.problems):
        tensor = carried(problem, wrong.name, edge)
        if tensor is None:
            return None
        square = float((tensor * tensor).sum())
        if not 0 < square < float("inf"):
            return None
        values.append(1 + float((surplus[number] * tensor).sum()) / square)
        if not wrong.equals(number, wrong.expected[number] + (values[-1] - 1) * tensor):
            return None
    if all(abs(value) < ZERO for value in values):
        return "0"
    return constant(wrong, values)
