"""What an ordinary pytest file compares with: autograd's gradients of lesson 03's own forward pass, in float32.

It is next to the lesson's forward.py, and needs nothing but PyTorch.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import forward as lesson
import torch

SEED = 2147483647


class Kept:
    """Forward values by name, each of which keeps its gradient."""

    loss: torch.Tensor

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, torch.Tensor) and value.requires_grad:
            value.retain_grad()
        self.__dict__[name] = value


@cache
def values() -> dict[str, Any]:
    """Every forward value under its name, and its gradient under its name with a `d` in front."""
    kept = Kept()
    for name, value in lesson.inputs(torch.Generator().manual_seed(SEED)).items():
        differentiable = isinstance(value, torch.Tensor) and value.is_floating_point()
        setattr(kept, name, value.requires_grad_() if differentiable else value)
    lesson.forward(kept)
    kept.loss.backward()
    tensors = {name: value for name, value in vars(kept).items() if isinstance(value, torch.Tensor)}
    gradients = {"d" + name: value.grad for name, value in tensors.items() if value.requires_grad}
    return {**vars(kept), **{name: value.detach() for name, value in tensors.items()}, **gradients}


def check(name: str, functions: dict[str, Any]) -> None:
    """Raises AssertionError where the student's function does not give autograd's gradient."""
    given = {each: values()[each] for each in inspect.signature(functions[name]).parameters}
    answer, expected = functions[name](**given), values()[name]
    assert answer.shape == expected.shape, f"{name} has the shape {tuple(answer.shape)}, not {tuple(expected.shape)}"
    assert torch.allclose(answer, expected), f"{name} is off by up to {(answer - expected).abs().max():.1e}"
