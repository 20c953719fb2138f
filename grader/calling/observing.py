"""What numerical_watch.py cannot see among torch's operators: numpy, math and complex numbers, while a function runs.

Functions whose code can be seen to evaluate nothing many times, as most right answers, need no watching.
"""

from __future__ import annotations

import cmath
import functools
import io
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy
import torch
import torch.nn.functional
from torch import Tensor

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
WAYS_OUT = ("numpy", "tolist", "item")
"""Methods of a tensor after which a step may compute with something other than tensors."""


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
    evaluates: Callable[[str, Sequence[object]], None],
    finds_complex: Callable[[], None],
    files: Sequence[str],
    names: dict[str, Any],
) -> Iterator[None]:
    """Inside, tell what functions of `files` compute outside torch; what they print is dropped.

    `names` are those of the file's module, which may have imported functions under other names.
    """

    def look_for_complex(frame: FrameType, event: str, value: object) -> None:
        is_theirs = event == "return" and frame.f_code.co_filename in files
        if is_theirs and any(map(is_complex, (value, *frame.f_locals.values()))):
            finds_complex()

    def telling(original: Callable[..., Any], tell: Callable[[tuple[Any, ...]], None]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            sys.setprofile(look_for_complex)
            tell(args)
            return original(*args, **kwargs)

        return call

    replaced: list[tuple[dict[str, Any], str, Any]] = []
    by_original: dict[int, Callable[..., Any]] = {}
    for module, functions in ((numpy, NUMPY), (math, MATH), (cmath, vars(cmath).keys())):
        for name in functions:
            original = vars(module).get(name)
            if callable(original):
                tell = functools.partial(evaluates, name) if module is not cmath else lambda _: finds_complex()
                by_original[id(original)] = telling(original, tell)
                replaced.append((vars(module), name, original))
    replaced += [(names, name, value) for name, value in names.items() if id(value) in by_original]
    for namespace, name, original in replaced:
        namespace[name] = by_original[id(original)]
    for name in WAYS_OUT:
        setattr(Tensor, name, telling(getattr(Tensor, name), lambda _: None))
    try:
        with redirect_stdout(Nowhere()), redirect_stderr(Nowhere()):
            yield
    finally:
        sys.setprofile(None)
        for name in WAYS_OUT:
            delattr(Tensor, name)
        for namespace, name, original in replaced:
            namespace[name] = original


def is_complex(value: object) -> bool:
    return isinstance(value, complex) or (isinstance(value, numpy.ndarray) and value.dtype.kind == "c")
