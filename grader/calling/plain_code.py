"""Functions whose code can be seen to evaluate nothing many times: most right answers. They need no observation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any

import torch
import torch.nn.functional

PLAIN_NAMES = frozenset(
    """
    torch F nn functional T mT t view view_as reshape reshape_as flatten shape size ndim transpose permute expand
    expand_as unsqueeze squeeze clone contiguous dtype device to type_as float double long int len range sum mean max
    min amax argmax indices values zeros zeros_like ones ones_like new_zeros one_hot arange einsum matmul mm enumerate
    zip append addcmul add sub mul div neg index_add index_add_ scatter scatter_ scatter_add scatter_add_ diag
    diagonal outer where
    """.split()  # noqa: SIM905
)
"""Names whose use differentiates nothing: no function that is curved, nothing that calls another function."""
SMALLEST_PLAIN, EPSILON = 0.25, 1e-5
"""A smaller constant may be a step, but the lecture's network has this one."""
LARGEST_PLAIN = 1000
MODULES = (torch, torch.nn, torch.nn.functional)


def is_plain(function: Callable[..., Any] | None) -> bool:
    """Whether a function has no small constant and only plain names. It may have loops: sums are written so."""
    if type(function) is not FunctionType:
        return False
    code = function.__code__
    return (
        PLAIN_NAMES.issuperset(code.co_names)
        and not code.co_freevars
        and all(map(is_plain_constant, code.co_consts[1:]))
        and names_are_torchs(code, function.__globals__)
    )


def is_plain_constant(value: object) -> bool:
    if isinstance(value, (int, float)):
        return value in (0, EPSILON) or SMALLEST_PLAIN <= abs(value) <= LARGEST_PLAIN
    if isinstance(value, tuple):
        return all(map(is_plain_constant, value))
    return not isinstance(value, (complex, CodeType))


def names_are_torchs(code: CodeType, names: Mapping[str, Any]) -> bool:
    """Whether the file gives none of these names a meaning of its own."""
    own = names.keys() & set(code.co_names)
    return all(names[name] in MODULES for name in own)
