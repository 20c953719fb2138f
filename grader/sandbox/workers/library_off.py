"""Takes from a worker the parts of PyTorch that a lesson asks the student to write: `not_allowed` in its lesson.toml.

A name is a module of torch, or operators:

* ``torch.optim``: the functions of this module and of all modules beneath it lose their code, so it does not matter by
  which name or object a student finds one.
* ``torch.ops.aten.rnn_tanh*``: the operators whose names match lose their kernels, whatever calls them.

A worker runs one lesson's file, and its zygote serves all lessons. So this is done in the worker.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from types import FunctionType
from typing import Any, NoReturn

import torch

from grader.calling.autograd_used import LibraryUsed, tripwire
from grader.sandbox.workers.autograd_off import replace_operators
from grader.sandbox.workers.formulas_off import every_function, retire
from grader.source.module_names import is_beneath

OPERATOR_PREFIX = "torch.ops.aten."


def take_away_library(names: Sequence[str]) -> None:
    """Remove what is in `names` from this process, before it runs a student's code. There is no way back.

    Afterwards no kernel can be registered. A name that this version of torch does not have is passed over.
    """
    operators = [name.removeprefix(OPERATOR_PREFIX) for name in names if name.startswith(OPERATOR_PREFIX)]
    if operators:
        replace_operators(
            lambda name: any(fnmatchcase(name.partition(".")[0], pattern) for pattern in operators),
            lambda name: tripwire(name.partition(".")[0], LibraryUsed),
        )
    for name in names:
        if not name.startswith(OPERATOR_PREFIX):
            _take_away_module(name)
    lock_the_dispatcher()


def _take_away_module(name: str) -> None:
    modules = [module for each, module in list(sys.modules.items()) if is_beneath(each, (name,))]
    for file in {getattr(module, "__file__", None) for module in modules}:
        for function in functions_of_torch().get(file, ()):
            written = function.__qualname__.removesuffix(".__init__")
            retire(function, tripwire(written, LibraryUsed))


@cache
def functions_of_torch() -> dict[str | None, list[FunctionType]]:
    """{file: its functions} of torch, when first called; in the zygote, since a worker's gc does not list them."""
    found: dict[str | None, list[FunctionType]] = {}
    for function in every_function():
        if "/torch/" in function.__code__.co_filename:
            found.setdefault(function.__code__.co_filename, []).append(function)
    return found


# What registers, replaces or removes kernels from Python. No step needs it, nor does eager torch after its start.
_REGISTERING = """_dispatch_library _dispatch_call_boxed _dispatch_get_computed_kernel_for_dispatch_key _dispatch_pystub
    _SafeKernelFunction _get_safe_kernel"""


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
    for name in vars(library_class).copy() if library_class is not None else ():
        if not name.startswith("__"):
            setattr(library_class, name, refuse)
    if library_class is not None:
        library_class.reset = lambda self: None  # torch calls it for its own libraries when the process ends
