"""Takes functions and operators of PyTorch away from a process: one way for each, and none back.

* A function in Python loses its code, so it does not matter by which name or object a student finds it (`retire`).
* An operator loses its kernels, whatever calls it (`replace_operators`).

In the zygote, autograd_off.py so takes away differentiation, and `take_away_formulas` other people's formulas: PyTorch
has backward formulas in Python (``torch._decomp``, ``torch._refs``, the compiler), and brings sympy and mpmath along.
Eager PyTorch needs almost none of it. `keep_the_compiler_out` puts tiny modules in place of those that torch would load
at first use; what is loaded all the same loses its modules and the code of their functions, since a function can be
found without its module (by `gc`, in a frame, in a closure). What eager torch needs was measured: every expression of
tests/unit/sandbox/workers/test_autograd_off.py and every file of tests/corpus/honest_styles was run and the functions
called were listed.

In the worker, `take_away_library` takes away what one lesson asks the student to write, `not_allowed` in its
lesson.toml, since its zygote serves all lessons. A name there is a module of torch, with all beneath it, or operators,
such as ``torch.ops.aten.rnn_tanh*``.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import linecache
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache
from types import FunctionType, ModuleType
from typing import Any, NoReturn

import torch

from grader.calling.autograd_used import LibraryUsed, tripwire
from grader.sandbox.workers.imports import StandIn, forget_modules
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
        for function in functions_by_file().get(file, ()):
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


@cache
def functions_by_file() -> dict[str | None, list[FunctionType]]:
    """{file: its functions}, when first called; in the zygote, since a worker's gc does not list them."""
    found: dict[str | None, list[FunctionType]] = {}
    for thing in gc.get_objects():
        if type(thing) is FunctionType:
            found.setdefault(thing.__code__.co_filename, []).append(thing)
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
    for name in _REGISTERING.split():
        if hasattr(dispatcher, name):
            setattr(dispatcher, name, _refuse)
    library_class = getattr(dispatcher, "_DispatchModule", None)
    if library_class is not None:
        for name in [name for name in vars(library_class) if not name.startswith("__")]:
            setattr(library_class, name, _refuse)
        library_class.reset = lambda self: None  # torch calls it for its own libraries when the process ends


# Formulas -------------------------------------------------------------------------------------------------------------

# torch.optim, torch.utils.checkpoint and torch.use_deterministic_algorithms load the first two, torch._check the third.
_COMPILER = ["torch._dynamo", "torch._dynamo.config", "torch._inductor", "torch._inductor.config"]
_SYMBOLIC_SHAPES = "torch.fx.experimental.symbolic_shapes"
_DISTRIBUTED_TENSORS = "torch.distributed.tensor"
_GUARDS = "expect_true guard_bool guard_int guard_float guard_size_oblivious guard_or_false guard_or_true"

HOLD_FORMULAS = frozenset(
    {"functorch", "mpmath", "networkx", "sympy", "torchgen", "torch._decomp", "torch._export", "torch._functorch"}
    | {"torch._dynamo", "torch._inductor", "torch._higher_order_ops", "torch._prims", "torch._refs", "torch.export"}
    | {"torch._lobpcg", "torch._meta_registrations", "torch.autograd.functional", "torch.autograd.gradcheck"}
    | {"torch.fx.experimental", "torch.jit._decompositions", "torch.onnx", "torch.testing._internal"}
    | {"torch.utils._sympy"}
)
"""Modules with derivative formulas or with machines that make them. A worker has neither them nor their files."""

# Modules of the above that eager torch imports inside functions, and the functions that it calls there.
_FUNCTORCH = "", ".apis", ".batch_norm_replacement", ".functional_call", ".predispatch", ".pyfunctorch", ".utils"
_NEEDED = {
    **{f"torch._functorch{name}": "*" for name in (*_FUNCTORCH, ".vmap", ".config")},
    "torch.autograd.functional": "",  # its tripwires stay
    "torch.autograd.gradcheck": "",
    "torch._export": "",
    "torch._export.utils": "_maybe_find_pre_dispatch_tf_mode_for_export",
    "torch.fx.experimental": "",
    "torch.fx.experimental.proxy_tensor": "",  # printing a tensor in a dispatch mode compares with its classes
    "torch.fx.experimental.sym_node": "",
    _SYMBOLIC_SHAPES: _GUARDS,
}


def keep_the_compiler_out() -> None:
    """Puts modules that do nothing in place of ``torch._dynamo`` and its like. Call it after ``import torch``.

    A module that this version of torch has loaded already stays until `take_away_formulas`.
    """
    shapes: Any = ModuleType(_SYMBOLIC_SHAPES)  # numbers and bools are themselves where nothing is traced
    for name in (*_GUARDS.split(), "statically_known_true", "sym_eq"):
        setattr(shapes, name, lambda value, *_, **__: value)
    shapes.is_symbolic, shapes.is_concrete_int = lambda *_: False, lambda *_: True
    shapes.free_symbols = shapes.free_unbacked_symbols = lambda *_: set()
    tensors: Any = ModuleType(_DISTRIBUTED_TENSORS)  # torch.testing.assert_close imports it at each call
    tensors.DTensor = type("DTensor", (), {})
    instead: dict[str, Any] = {name: StandIn(name) for name in _COMPILER}
    for each in instead.values():
        each.__path__, each.__spec__ = [], None  # a package: torch imports its submodules
    instead |= {_SYMBOLIC_SHAPES: shapes, _DISTRIBUTED_TENSORS: tensors}
    for name, module in instead.items():
        if name not in sys.modules:
            sys.modules[name] = module
            above, _, own = name.rpartition(".")
            setattr(importlib.import_module(above), own, module)
    # torch.vmap calls an operator for which it has no kernel once per row, instead of loading a formula for it
    for name in ("torch._functorch.predispatch", "torch._functorch.vmap"):  # one of them, by the version of torch
        if hasattr(sys.modules.get(name), "DECOMPOSITIONS_LOADED"):
            vars(sys.modules[name])["DECOMPOSITIONS_LOADED"] = True
    functorch: Any = importlib.import_module("torch._C._functorch")
    functorch._set_vmap_fallback_warning_enabled(False)  # that it is slower is no student's concern


def take_away_formulas() -> None:
    """Removes modules of HOLD_FORMULAS and the code of their functions. There is no way back.

    Call it in the zygote, after `take_away_autograd`; what it removes goes with the next collection of garbage.
    """
    loaded = {name: module for name, module in sys.modules.items() if is_beneath(name, HOLD_FORMULAS)}
    own = {name for name in (*_COMPILER, _SYMBOLIC_SHAPES) if name in loaded and loaded[name].__spec__ is None}
    for name, module in loaded.items():
        needed = _NEEDED.get(name, "").split()
        for function in functions_by_file().pop(getattr(module, "__file__", None), ()):
            if "*" not in needed and function.__code__.co_qualname.partition(".")[0] not in needed:
                retire(function, _refuse)
    forget_modules(sorted(loaded.keys() - _NEEDED.keys() - own, key=len, reverse=True))
    linecache.clearcache()


def _refuse(*_arguments: object, **_keywords: object) -> NoReturn:
    raise RuntimeError("this part of torch is not available where steps are graded")
