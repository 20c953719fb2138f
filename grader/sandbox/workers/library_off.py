"""Takes functions and operators of PyTorch away from a process: one way for each, and none back.

* A function in Python loses its code, so it does not matter by which name or object a student finds it (`retire`).
* An operator loses its kernels, whatever calls it (`replace_operators`).

autograd_off.py and formulas_off.py so take away, in the zygote, what no lesson allows. What one lesson asks the student
to write, `not_allowed` in its lesson.toml, is taken away in the worker, since its zygote serves all lessons. A name
there is a module of torch, with all beneath it, or operators, such as ``torch.ops.aten.rnn_tanh*``.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache
from types import FunctionType
from typing import Any, NoReturn

import torch

from grader.calling.autograd_used import LibraryUsed, tripwire
from grader.source.module_names import is_beneath

OPERATOR_PREFIX = "torch.ops.aten."
_ARITHMETIC_KEYS = [
    *["CPU", "SparseCPU", "SparseCsrCPU", "MkldnnCPU", "NestedTensorCPU"],
    *["CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"],
]
# What registers, replaces or removes kernels from Python. No step needs it, nor does eager torch after its start.
_REGISTERING = """_dispatch_library _dispatch_call_boxed _dispatch_get_computed_kernel_for_dispatch_key _dispatch_pystub
    _SafeKernelFunction _get_safe_kernel"""


def take_away_library(names: Sequence[str]) -> None:
    """Remove what is in `names` from this process, before it runs a student's code. There is no way back.

    Afterwards no kernel can be registered. A name that this version of torch does not have is passed over.
    """
    patterns = [name.removeprefix(OPERATOR_PREFIX) for name in names if name.startswith(OPERATOR_PREFIX)]
    if patterns:
        replace_operators(
            lambda name: any(fnmatchcase(name.partition(".")[0], pattern) for pattern in patterns),
            lambda name: tripwire(name.partition(".")[0], LibraryUsed),
        )
    named = [name for name in list(sys.modules) if is_beneath(name, names)] if len(patterns) < len(names) else []
    for file in {getattr(sys.modules[name], "__file__", None) for name in named}:
        for function in functions_of_torch().get(file, ()):
            retire(function, tripwire(function.__qualname__.removesuffix(".__init__"), LibraryUsed))
    lock_the_dispatcher()


# Functions ------------------------------------------------------------------------------------------------------------


def retire(function: FunctionType, instead: Callable[..., object]) -> None:
    """Have `function` call `instead` from now on, under each of its names: its own code is gone."""
    code = function.__code__
    function.__code__ = _retired.__code__.replace(co_freevars=code.co_freevars, co_name=code.co_name)
    function.__defaults__, function.__kwdefaults__ = None, {"instead": instead}


def _retired(*arguments: Any, instead: Callable[..., object], **keywords: Any) -> object:
    return instead(*arguments, **keywords)


def every_function() -> list[FunctionType]:
    return [thing for thing in gc.get_objects() if type(thing) is FunctionType]


@cache
def functions_of_torch() -> dict[str | None, list[FunctionType]]:
    """{file: its functions} of torch, when first called; in the zygote, since a worker's gc does not list them."""
    found: dict[str | None, list[FunctionType]] = {}
    for function in every_function():
        if "/torch/" in function.__code__.co_filename:
            found.setdefault(function.__code__.co_filename, []).append(function)
    return found


# Operators ------------------------------------------------------------------------------------------------------------


@cache
def operators_with(key: str) -> tuple[str, ...]:
    """Overloads, such as ``rnn_tanh.input``, that have a kernel under a dispatch key, when first called."""
    dispatcher: Any = torch._C
    names = dispatcher._dispatch_get_registrations_for_dispatch_key(key)
    return tuple(name.removeprefix("aten::") for name in names if name.startswith("aten::"))


def replace_operators(matches: Callable[[str], bool], kernel: Callable[[str], object]) -> None:
    """Give every operator whose name matches the kernel `kernel(name)`, for good, before `lock_the_dispatcher`."""
    register((name, key, kernel(name)) for key in _ARITHMETIC_KEYS for name in operators_with(key) if matches(name))


def register(kernels: Iterable[tuple[str, str, object]]) -> None:
    """Register kernels of operators by dispatch key.

    They stay as long as the library object that registers them. One reference too many keeps this for ever, and
    `lock_the_dispatcher` takes its `reset` from it.
    """
    dispatcher: Any = torch._C
    library = dispatcher._dispatch_library("IMPL", "aten", "", "not allowed", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of every kernel that is replaced
        for operator, key, kernel in kernels:
            library.impl(operator, key, kernel)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


def lock_the_dispatcher() -> None:
    """Python code can no longer make a library of kernels, nor do anything with one that it finds.

    Call it in every worker before any student code. A second call does nothing new.
    """
    dispatcher: Any = torch._C

    def refuse(*_arguments: Any, **_keywords: Any) -> NoReturn:
        raise RuntimeError("no operator can be registered where steps are graded")

    for name in _REGISTERING.split():
        if hasattr(dispatcher, name):
            setattr(dispatcher, name, refuse)
    library_class = getattr(dispatcher, "_DispatchModule", None)
    if library_class is not None:
        for name in [name for name in vars(library_class) if not name.startswith("__")]:
            setattr(library_class, name, refuse)
        library_class.reset = lambda self: None  # torch calls it for its own libraries when the process ends
