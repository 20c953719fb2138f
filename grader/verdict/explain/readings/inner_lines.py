"""In a step of several operations: what is propagated along each line inside it.

The step is split by recording the forward pass again with its fused names as steps of their own.
"""

from __future__ import annotations

from torch import Tensor

from grader.reference.problem import Problem
from grader.verdict.explain.problem_values import computed_once

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
