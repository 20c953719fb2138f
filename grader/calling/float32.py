"""Code that works in float32 and cannot run in float64: how such an error is recognised, and values in float32.

Problems are drawn in float64. `F.one_hot(Xb, 27).float().T @ demb` is float32 times float64, which torch refuses, and
so do `index_add_`, an assignment through indices, `einsum` and others, each in words of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy
import torch
from torch import Tensor

from grader.calling.answer import Answer

ABOUT_DTYPES = re.compile(
    r"d(?:ata)?types?\b|scalar type|same type|TensorOptions|Type promot|"
    r"\b(?:Float|Double|(?:Float|Double)Tensor|float32|float64)\b|^AssertionError"
)
"""Errors that may come from float64. torch 2 and numpy have some forty wordings; an `assert` often has none."""


def is_about_dtypes(answer: Answer) -> bool:
    """Whether the answer is an error that the same code may not raise in float32."""
    return answer.outcome == "raised" and ABOUT_DTYPES.search(answer.message) is not None


def narrow(value: Any) -> Any:
    """A float64 tensor or array in float32, also in lists, tuples and dicts; anything else as it is."""
    if isinstance(value, (list, tuple)):
        return type(value)(narrow(entry) for entry in value)
    if isinstance(value, dict):
        return to_float32(value)
    if isinstance(value, numpy.ndarray) and value.dtype == numpy.float64:
        return value.astype(numpy.float32)
    if isinstance(value, Tensor) and value.dtype == torch.float64:
        return value.detach().to(torch.float32).requires_grad_(value.requires_grad)
    return value


def to_float32(named: Mapping[Any, Any]) -> dict[Any, Any]:
    return {name: narrow(value) for name, value in named.items()}
