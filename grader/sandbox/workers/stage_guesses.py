"""How many stages of the published problem can be run in one request: see sending.py for what a stage is.

A worker feeds each stage what the stages before it answered. The answers count as far as that is, bit for bit, the true
upstream gradient. A stage whose answers are probably wrong is therefore the last one of its request.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.sandbox.workers.sending import Stage

SAME_SIZE_INTEGERS = {torch.float32: torch.int32, torch.float64: torch.int64}
"""Compared as these, zeros of either sign differ, and NaN equals NaN."""


def end_of_guess(plan: Sequence[Stage], at: int, known: Collection[str]) -> int:
    """The number of the first stage after `at` that needs more than what stages from `at` on will have answered."""
    answered: set[str] = set()
    for number, stage in enumerate(plan):
        if number > at and not answered.issuperset("d" + name for name in stage.upstream.names):
            return number
        answered |= set(stage.steps) - set(known) if number >= at else set(stage.steps)
    return len(plan)


def first_doubtful_stage(plan: Sequence[Stage], problem: Problem, chain: Mapping[str, Answer]) -> int:
    """The number of the first stage whose answers in the student's own `chain` are wrong; len(plan) without one."""
    for number, stage in enumerate(plan):
        for step in stage.steps:
            answer = chain.get(step)
            if answer is None:
                continue
            if answer.tensor is None:
                return number
            reference = problem.upstream[step[1:]]
            if not (is_nearly(answer.tensor, reference) or is_zero_but_for_rounding(answer.tensor, step, problem)):
                return number
    return len(plan)


def is_exactly(answer: Answer, reference: Tensor) -> bool:
    """Whether an answer is the reference bit for bit, so that a step cannot tell which of them it was fed."""
    tensor = answer.tensor
    if tensor is None or tensor.dtype != reference.dtype or tensor.shape != reference.shape:
        return False
    integers = SAME_SIZE_INTEGERS[tensor.dtype]
    return torch.equal(tensor.view(integers), reference.view(integers))


def is_zero_but_for_rounding(tensor: Tensor, step: str, problem: Problem) -> bool:
    """Whether an answer and its reference have the same shape, and are nothing next to what they are computed from.

    Two ways to compute such a gradient, a bias before batch norm for example, share no digit.
    """
    reference = problem.upstream[step[1:]]
    if tensor.shape != reference.shape or not tensor.is_floating_point():
        return False
    above = [problem.upstream[name] for name in problem.graph.above(step[1:]) if name in problem.upstream]
    scale = max((float(torch.linalg.vector_norm(gradient)) for gradient in above), default=0.0)
    norms = (float(torch.linalg.vector_norm(each)) for each in (tensor, reference))
    return all(norm <= 1e-6 * scale for norm in norms)


def is_nearly(tensor: Tensor, reference: Tensor) -> bool:
    """Whether they have the same shape, and the same numbers to about three digits."""
    if tensor.shape != reference.shape or not tensor.is_floating_point():
        return False
    return float(torch.dist(tensor, reference.to(tensor.dtype))) <= 1e-3 * float(torch.linalg.vector_norm(reference))
