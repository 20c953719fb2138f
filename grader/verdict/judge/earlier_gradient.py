"""Steps that leave out an upstream gradient and are computed from an earlier one, further up in the backward pass."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import torch

from grader.calling.answer import Answer
from grader.comparison.tensors import compare
from grader.reference.problem import Problem
from grader.results import NamedMistake

TRIVIAL = 1e-6
"""A gradient smaller than this share of the upstream gradient's norm counts as zero with rounding noise."""
FROM_EARLIER_GRADIENT = "Right, but it skips a step: it is computed from gradients further up than the next one."


class FromEarlier(NamedTuple):
    """A step that is right given the upstream gradients that it requests.

    `error` is the largest relative error. `ones` are the upstream gradients that it leaves out and that are all ones.
    """

    error: float
    ones: tuple[str, ...]


def computed_from_earlier(name: str, cases: Sequence[tuple[Problem, Answer]]) -> FromEarlier | None:
    """Return how a step is right given the upstream gradients that it requests; None if it is wrong on some problem.

    These need not be the gradients of its direct consumers: "the mean of dbndiff" is a right dbnmeani in every network.
    """
    errors = []
    ones: tuple[str, ...] = ()
    for problem, answer in cases:
        requested = problem.requested_instead(name, answer.uses)
        if requested is None:
            return None
        assert answer.tensor is not None
        reference = problem.reference_from(name, requested)
        comparison = compare(answer.tensor, reference, problem.scale(name), answer.low_precision)
        if not comparison.passed or comparison.relative_error is None:
            return None
        if float(torch.linalg.vector_norm(reference)) < TRIVIAL * problem.scale(name):
            continue  # zero in this whole network: an answer that equals it shows nothing
        errors.append(comparison.relative_error)
        ones = left_out_ones(problem, name, requested)
    return FromEarlier(max(errors), ones) if errors else None


def left_out_ones(problem: Problem, name: str, requested: Collection[str]) -> tuple[str, ...]:
    """The upstream gradients that the step does not request and that are all ones in the whole network.

    Leaving them out has no effect there, as behind a plain sum, so an answer that equals the gradient shows no work.
    """
    skipped: dict[str, None] = {}
    waiting = [name]
    while waiting:
        for consumer in problem.graph.consumers[waiting.pop()]:
            has_upstream = consumer not in requested and problem.graph.consumers[consumer]
            if has_upstream and consumer not in skipped:
                skipped[consumer] = None
                waiting.append(consumer)
    return tuple(other for other in skipped if bool((problem.reference_from(other, requested) == 1).all()))


def upstream_left_out(name: str, ones: Sequence[str]) -> NamedMistake:
    return NamedMistake(
        "upstream_left_out",
        f"Your `d{name}` leaves out `d{ones[0]}`. In this network that is all ones, so leaving it out changes nothing "
        "here; in another network it does. Request the upstream gradient as a parameter and multiply by it.",
    )
