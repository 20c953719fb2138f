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
            if answer is not None and not (
                answer.tensor is not None and is_nearly(answer.tensor, problem.upstream[step[1:]])
            ):
                return number
    return len(plan)


def is_exactly(answer: Answer, reference: Tensor) -> bool:
    """Whether an answer is the reference bit for bit, so that a step cannot tell which of them it was fed."""
    tensor = answer.tensor
    if tensor is None or tensor.dtype != reference.dtype or tensor.shape != reference.shape:
        return False
    integers = SAME_SIZE_INTEGERS[tensor.dtype]
    return torch.equal(tensor.view(integers), reference.view(integers))


def is_nearly(tensor: Tensor, reference: Tensor) -> bool:
    """Whether they have the same shape, and the same numbers to about three digits."""
    if tensor.shape != reference.shape or not tensor.is_floating_point():
        return False
    return float(torch.dist(tensor, reference.to(tensor.dtype))) <= 1e-3 * float(torch.linalg.vector_norm(reference))
