"""Which functions can be seen to evaluate nothing many times, as most right answers: numerical_watch need not see them.

Watching costs a second run of a function. This only decides what is watched, never what is right.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
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
    diagonal outer where stack cat unbind split chunk narrow select repeat flip roll empty_like tensor fill_ zero_ copy_
    masked_fill masked_fill_ neg_ add_ sub_ mul_ addmm addmm_ addcmul_ index_put index_put_
    div_ reciprocal reciprocal_ pow pow_ square square_ sqrt sqrt_ rsqrt rsqrt_
    """.split()  # noqa: SIM905
)
"""Names whose use differentiates nothing: nothing that calls another function, and no function that is curved but those
that `/` and `**` compute, which need no name."""
PLAIN_ONCE = frozenset({"exp", "exp_", "log", "tanh", "sigmoid", "softmax", "log_softmax"})
"""Curved functions. One that is evaluated once, and not on a batch that the function makes, gives no difference."""
MAKING_BATCHES = frozenset(
    """
    stack cat append zip expand expand_as repeat outer arange tensor zeros zeros_like new_zeros ones ones_like
    empty_like one_hot diag where fill_ masked_fill masked_fill_ index_put index_put_ unsqueeze
    """.split()  # noqa: SIM905
)
"""Names with which values that are close together come into one tensor."""
SMALLEST_PLAIN, LECTURE_EPSILON, LARGEST_PLAIN = 0.25, 1e-5, 1000
"""A smaller constant may be a step, but the lecture's network has this one."""
TORCH_MODULES = (torch, torch.nn, torch.nn.functional)


def is_plain(function: Callable[..., Any] | None) -> bool:
    """Whether a function has no small constant and only plain names. It may have loops: sums are written so."""
    if type(function) is not FunctionType:
        return False
    code, names = function.__code__, function.__globals__
    return (
        (PLAIN_NAMES | PLAIN_ONCE).issuperset(code.co_names)
        and (PLAIN_ONCE.isdisjoint(code.co_names) or is_curved_once(code))
        and not code.co_freevars
        and all(map(is_plain_constant, code.co_consts[1:]))
        # the file gives none of these names a meaning of its own
        and all(names[name] in TORCH_MODULES for name in names.keys() & set(code.co_names))
    )


def is_curved_once(code: CodeType) -> bool:
    """Whether one function of PLAIN_ONCE is called at one place, by its own name, outside loops, and on no batch."""
    instructions = list(dis.get_instructions(code))
    uses = [each for each in instructions if isinstance(each.argval, str) and each.argval in PLAIN_ONCE]
    called = [
        each
        for before, each, after in zip(instructions, instructions[1:], instructions[2:], strict=False)
        # as a method, on Python 3.11 and later ones, and as a module's function, on 3.11, 3.12 and later ones
        if "METHOD" in each.opname
        or "NULL|self" in each.argrepr
        or before.argrepr.startswith("NULL + ")
        or after.opname == "PUSH_NULL"
    ]
    has_loop = any("FOR_ITER" in each.opname or "BACKWARD" in each.opname for each in instructions)
    return len(uses) == 1 and uses[0] in called and not has_loop and MAKING_BATCHES.isdisjoint(code.co_names)


def is_plain_constant(value: object) -> bool:
    if isinstance(value, (int, float)):
        return value in (0, LECTURE_EPSILON) or SMALLEST_PLAIN <= abs(value) <= LARGEST_PLAIN
    if isinstance(value, tuple):
        return all(map(is_plain_constant, value))
    return not isinstance(value, (complex, CodeType))
