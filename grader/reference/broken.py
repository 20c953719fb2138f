"""Copies of a right gradient with one mistake each, which a gradient checker should reject."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.reference.problem import Problem

VISIBLE = 0.05
"""A copy differs from the right gradient by this share of its largest element, or more: a checker can see it."""
ZERO_GRADIENT = 1e-9
"""Of the upstream gradients' size: a gradient below this is zero except for rounding."""


def broken_copies(problem: Problem, name: str) -> dict[str, Tensor]:
    """{what is wrong: a copy of d`name`, in its shape or with one axis too many, wrong by enough to be seen}."""
    right = problem.reference(name)
    sizes, one = right.abs().flatten(), torch.zeros_like(right)
    one.view(-1)[sizes.argmax()] = VISIBLE
    if sizes.max() <= ZERO_GRADIENT * max(1.0, problem.scale(name)):
        return {"with 0.05 in one place": right + one}
    return {
        "with the opposite sign": -right,
        "times two": 2 * right,
        "with one element 5 % too large": right * (1 + one),
        "with one axis too many": right[None],
    }
