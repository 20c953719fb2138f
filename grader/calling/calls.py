"""One call of a function, a class or a method: the same for steps and checks, in a worker and in the trusted process.

Problems and arguments are in float64. Code that cannot run in it, such as `F.one_hot(Xb, 27).float().T @ demb`, is run
in float32: torch refuses to mix them, each function in words of its own.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from grader.calling.answer import Answer
from grader.calling.failures import failure, first_line
from grader.calling.operators import OperatorWatch
from grader.calling.protocol import CallRequest, leaves, precision_of

ABOUT_DTYPES = re.compile(
    r"d(?:ata)?types?\b|scalar type|same type|TensorOptions|Type promot|"
    r"\b(?:Float|Double|(?:Float|Double)Tensor|float32|float64)\b|^AssertionError"
)
"""Errors that may come from float64. torch 2 and numpy have some forty wordings; an `assert` often has none."""
IN_PLACE = "a leaf Variable that requires grad is being used in an in-place operation."
WITH_OUT = "functions with out=... arguments don't support automatic differentiation, but one requires grad."
CHANGE_NO_ELEMENT = frozenset({"requires_grad_", "detach_", "share_memory_"})
"""Methods that end in _ and change no element."""


def call(
    function: Callable[..., Any],
    name: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    precision: torch.dtype,
    files: Sequence[str] = (),
    watch: OperatorWatch | None = None,
    guarded: Sequence[Tensor] = (),
) -> Answer:
    """Calls it with these very arguments; never raises for what it does. `value` is what it returned, unchecked.

    While it runs, torch's default dtype is `precision`, so that `torch.zeros(n, m)` in a student's line has the
    precision of what it is given. `files` are the file names of the student's code, the graded one first, for line
    numbers. Leaves in `guarded` are not changed in place, see LeafGuard.
    """
    default, depth = torch.get_default_dtype(), sys.getrecursionlimit()
    set_default_dtype(precision)
    line = first_line(function)
    try:
        with LeafGuard(guarded) if guarded else nullcontext(), watch or nullcontext():
            value = function(*args, **kwargs)
    except BaseException as error:  # SystemExit and KeyboardInterrupt are a student's doing here, too
        return failure(error, name, files)
    finally:
        set_default_dtype(default)
        sys.setrecursionlimit(depth)  # no call helps or harms a later one
    answer = Answer("returned", value=value, arguments=[*args, *kwargs.values()], line=line)
    if watch is None:
        return answer
    low_precision = watch.saw_float32 and precision == torch.float64
    return answer._replace(**watch.counts(), low_precision=low_precision)


def set_default_dtype(dtype: torch.dtype) -> None:
    """Set torch's default dtype unless it is set already: a look at it takes a tenth of the time."""
    if torch.get_default_dtype() is not dtype:
        torch.set_default_dtype(dtype)


def with_fallback(run: Callable[[torch.dtype], Answer], precision: torch.dtype) -> Answer:
    """`run(precision)`, and in float32 if it raises an error about dtypes in float64.

    Where float32 helps no more than float64, the answer is the error that it raises in float64.
    """
    answer = run(precision)
    if precision is not torch.float64 or not is_about_dtypes(answer):
        return answer
    again = run(torch.float32)
    if again.outcome == "returned":
        return again._replace(low_precision=True, in_float32=True)
    return answer if is_about_dtypes(again) else again


def is_about_dtypes(answer: Answer) -> bool:
    """Whether the answer is an error that the same code may not raise in float32."""
    return answer.outcome == "raised" and ABOUT_DTYPES.search(answer.message) is not None


def narrow(value: Any) -> Any:
    """A float64 tensor or array in float32, also in lists, tuples and dicts; anything else as it is."""
    if isinstance(value, (list, tuple)):
        return type(value)(narrow(entry) for entry in value)
    if isinstance(value, dict):
        return {name: narrow(entry) for name, entry in value.items()}
    if isinstance(value, numpy.ndarray) and value.dtype == numpy.float64:
        return value.astype(numpy.float32)
    if isinstance(value, Tensor) and value.dtype == torch.float64:
        return value.detach().to(torch.float32).requires_grad_(value.requires_grad)
    return value


class LeafGuard(TorchFunctionMode):
    """Inside ``with LeafGuard(leaves):`` a change of one of the leaves in place raises RuntimeError.

    PyTorch refuses to change a leaf that requires a gradient while operations are recorded, but this is a part of
    autograd, which a worker does not have. So a call that receives such leaves runs under this guard, and a training
    loop without `torch.no_grad()` stops with PyTorch's own words.
    Source: torch/csrc/autograd/VariableTypeUtils.h, `check_inplace`.

    Allowed are changes inside `torch.no_grad()` or `torch.inference_mode()`, and through `.data` or `.detach()`. A
    change of a view, such as `p[0].add_(1)`, is not noticed; `p[0] += 1` is.
    """

    def __init__(self, leaves: Iterable[Tensor]) -> None:
        super().__init__()
        self._leaves = {id(leaf): leaf for leaf in leaves}

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        if torch.is_grad_enabled():
            name = str(getattr(func, "__name__", ""))  # `add_`, `__setitem__`, `_foreach_add_`
            changes = name.endswith("_") and not name.endswith("__") and name not in CHANGE_NO_ELEMENT
            if (changes or name == "__setitem__") and self._are_in(args[:1]):
                raise RuntimeError(IN_PLACE)
            if self._are_in(given.get("out")):
                raise RuntimeError(WITH_OUT)
        return func(*args, **given)

    def _are_in(self, tree: Any) -> bool:
        """Whether one of the leaves is in the tree, and still requires a gradient."""
        return any(id(each) in self._leaves and each.requires_grad for each in leaves(tree))


def by_name(function: Any, named: Mapping[str, Any]) -> dict[str, Any] | None:
    """Those of the named arguments that the function has parameters for; None unless it lacks only some of them.

    A student may delete the parameters that a function does not need.
    """
    try:
        own = inspect.signature(function).parameters.keys()
    except (TypeError, ValueError):
        return None
    return {name: named[name] for name in own} if own < named.keys() else None


def invoke(
    request: CallRequest,
    named: Callable[[str], Any],
    files: Sequence[str] = (),
    watch: OperatorWatch | None = None,
) -> Answer:
    """Make the call that is requested. `named` gives the function or class of a name, or None."""
    args, kwargs = list(request.args), dict(request.kwargs)
    used = [named(each) for each in request.uses or (request.name,)]
    if any(each is None for each in used):
        return Answer("missing")
    target = functools.partial(args.pop(0), *used) if request.uses else used[0]
    wide = precision_of((args, kwargs))

    def run(precision: torch.dtype) -> Answer:
        positional, keyword = (args, kwargs) if precision is wide else narrow((args, kwargs))
        guarded = [leaf for leaf in leaves((positional, keyword)) if isinstance(leaf, Tensor) and leaf.requires_grad]
        fewer = by_name(target, {**dict(zip(request.names, positional, strict=False)), **keyword})
        if fewer is None:
            return call(target, request.name, positional, keyword, precision, files, watch, guarded)
        answer = call(target, request.name, [], fewer, precision, files, watch, guarded)
        return answer._replace(arguments=[*positional, *keyword.values()])

    answer = with_fallback(run, wide)
    return answer if request.after else answer._replace(arguments=())
