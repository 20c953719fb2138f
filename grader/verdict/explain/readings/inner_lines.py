"""In a step of several operations: what is propagated along one line inside it is missing, or has a wrong factor.

The step is split by recording the forward pass again with its fused names as steps of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.explanation import Explanation
from grader.verdict.explain.fit import fit_multiples, name_coefficient
from grader.verdict.explain.mismatch import GradientMismatch
from grader.verdict.explain.problem_values import computed_once
from grader.verdict.explain.readings.quotients import is_multiple_at, surplus_places

MAX_EDGES = 40

ReadEdge = tuple[str, str]
"""(what is read, the line that reads it)"""


def inner_edges(problem: Problem, name: str) -> dict[ReadEdge, Tensor]:
    """{edge of the finer graph between d`name` and its upstream gradients: what is propagated along it}."""

    def compute() -> dict[ReadEdge, Tensor]:
        fine, coarse = problem.finer, problem.graph
        inside = fine.above(name)
        if problem.random_upstream:
            inside = inside & set(coarse.fused)
            arriving = {c: problem.upstream[c] for c in coarse.consumers[name]}
        else:
            arriving = dict(problem.ends)
        found: dict[ReadEdge, Tensor] = {}
        for consumer in reversed(list(fine.parents)):
            if consumer not in arriving:
                continue
            for parent, share in fine.vjp(consumer, arriving[consumer]).items():
                if parent == name or parent in inside:
                    found[parent, consumer] = share
                    arriving[parent] = arriving[parent] + share if parent in arriving else share
        return found if len(found) <= MAX_EDGES else {}

    return computed_once(problem, ("edges", name), compute)


def share_of_edge(problem: Problem, name: str, edge: ReadEdge) -> Tensor | None:
    """The part of d`name` that passes one edge, in float64; None where the problem has no such edge."""
    share = inner_edges(problem, name).get(edge)
    if share is None:
        return None
    return computed_once(problem, ("edge", name, edge), lambda: backpropagate_from(problem, name, edge[0], share))


def backpropagate_from(problem: Problem, name: str, start: str, share: Tensor) -> Tensor:
    """What an upstream gradient of `start` alone gives for d`name`, in float64."""
    known, arriving = inner_edges(problem, name), {start: share}
    for consumer in reversed(list(problem.finer.parents)):
        if consumer in arriving and consumer != name:
            for parent, part in problem.finer.vjp(consumer, arriving[consumer]).items():
                if (parent, consumer) in known:
                    arriving[parent] = arriving[parent] + part if parent in arriving else part
    result = arriving.get(name)
    return (torch.zeros_like(problem.values[name]) if result is None else result).double()


def wrong_inner_line(wrong: GradientMismatch) -> Iterator[Explanation]:
    """What is propagated along one inner line is missing, or has a wrong factor."""
    places, number = surplus_places(wrong), wrong.largest
    if places is None:
        return
    for edge in inner_edges(wrong.problems[number], wrong.name):
        tensor = share_of_edge(wrong.problems[number], wrong.name, edge)
        assert tensor is not None
        label = name_of_edge(wrong, edge) if is_multiple_at(places, wrong.surplus[number], tensor) else None
        if label is None:
            continue
        parent, consumer = edge
        what = f"the part of the gradient that flows back from `{consumer}` to `{parent}`"
        begin = f"In your `d{wrong.name}`, {what}"
        if label == "0":
            yield Explanation("inner_branch_missing", f"Your `d{wrong.name}` lacks {what}; all the rest is right.")
        elif label == "−1":
            yield Explanation("inner_branch_sign", f"{begin} has the wrong sign; the rest is right.")
        else:
            yield Explanation(
                "inner_branch_ratio", f"{begin} is exactly {label} times what it should be; all the rest is right."
            )


def name_of_edge(wrong: GradientMismatch, edge: ReadEdge) -> str | None:
    """The name of the coefficient of what passes `edge`, where all the rest is right on every problem."""
    shares = (share_of_edge(problem, wrong.name, edge) for problem in wrong.problems)
    values = fit_multiples(wrong, shares, wrong.expected)
    return name_coefficient(wrong, [1 + k for k in values]) if values else None
