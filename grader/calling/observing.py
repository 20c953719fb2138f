"""What numerical_watch.py cannot see among torch's operators: functions of numpy, math and cmath.

Functions whose code can be seen to evaluate nothing many times, as most right answers, need no watching.
"""

from __future__ import annotations

import cmath
import io
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from types import CodeType, FunctionType
from typing import Any

import numpy
import torch
import torch.nn.functional

PLAIN_NAMES = frozenset(
    """
    torch F nn functional T mT t view view_as reshape reshape_as flatten shape size ndim transpose permute expand
    expand_as unsqueeze squeeze clone contiguous dtype device to type_as float double long int len range sum mean max
    min amax argmax indices values zeros zeros_like ones ones_like new_zeros one_hot arange einsum matmul mm enumerate
    zip append addcmul add sub mul div neg index_add index_add_ scatter scatter_ scatter_add scatter_add_ diag
    diagonal outer where stack cat unbind split chunk narrow select repeat flip roll empty_like tensor fill_ zero_ copy_
    masked_fill masked_fill_ neg_ add_ sub_ mul_ addmm addmm_ addcmul_ index_put index_put_
    """.split()  # noqa: SIM905
)
"""Names whose use differentiates nothing: no function that is curved, nothing that calls another function."""
SMALLEST_PLAIN, EPSILON = 0.25, 1e-5
"""A smaller constant may be a step, but the lecture's network has this one."""
LARGEST_PLAIN = 1000
OBSERVED_MODULES = (torch, torch.nn, torch.nn.functional)
NUMPY = frozenset(
    "tanh exp exp2 expm1 log log1p log2 log10 sqrt power square reciprocal sinh cosh sin cos matmul dot".split()  # noqa: SIM905
)
MATH = ("tanh", "exp", "expm1", "log", "log1p", "sqrt", "pow", "sinh", "cosh")


def is_plain(function: Callable[..., Any] | None) -> bool:
    """Whether a function has no small constant and only plain names. It may have loops: sums are written so."""
    if type(function) is not FunctionType:
        return False
    code, names = function.__code__, function.__globals__
    return (
        PLAIN_NAMES.issuperset(code.co_names)
        and not code.co_freevars
        and all(map(is_plain_constant, code.co_consts[1:]))
        # the file gives none of these names a meaning of its own
        and all(names[name] in OBSERVED_MODULES for name in names.keys() & set(code.co_names))
    )


def is_plain_constant(value: object) -> bool:
    if isinstance(value, (int, float)):
        return value in (0, EPSILON) or SMALLEST_PLAIN <= abs(value) <= LARGEST_PLAIN
    if isinstance(value, tuple):
        return all(map(is_plain_constant, value))
    return not isinstance(value, (complex, CodeType))


class Nowhere(io.TextIOBase):
    """Takes all text and keeps none."""

    def write(self, text: str) -> int:
        return len(text)


@contextmanager
def seen_outside_torch(
    evaluated: Callable[[str, tuple[object, ...], object], object], names: dict[str, Any]
) -> Iterator[None]:
    """Inside, functions of numpy, math and cmath return `evaluated(name, arguments, result)`; no text is printed.

    `names` are those of the student's module, which may have imported functions under other names.
    """

    def telling(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **kwargs: evaluated(name, args, original(*args, **kwargs))

    replaced: list[tuple[dict[str, Any], str, Any]] = []
    for module, functions in ((numpy, NUMPY), (math, MATH), (cmath, vars(cmath).keys())):
        found = {name: vars(module).get(name) for name in functions}
        replaced += [(vars(module), name, original) for name, original in found.items() if callable(original)]
    by_original = {id(original): telling(name, original) for _, name, original in replaced}
    replaced += [(names, name, value) for name, value in names.items() if id(value) in by_original]
    for namespace, name, original in replaced:
        namespace[name] = by_original[id(original)]
    try:
        with redirect_stdout(Nowhere()), redirect_stderr(Nowhere()):
            yield
    finally:
        for namespace, name, original in replaced:
            namespace[name] = original
