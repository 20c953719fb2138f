"""Removes other people's derivative formulas from the zygote: those that PyTorch and its libraries have in Python.

PyTorch has backward formulas in Python (``torch._decomp``, ``torch._refs``, the compiler), and brings sympy and mpmath
along. Eager PyTorch needs almost none of it. `keep_the_compiler_out` puts tiny modules in place of those that torch
would load at first use; `take_away_formulas` removes what is loaded all the same: the modules, and the code of their
functions, since a function can be found without its module (by `gc`, in a frame, in a closure).

What eager torch needs was measured: every expression of tests/unit/sandbox/workers/test_autograd_off.py and every file
of tests/corpus/honest_styles was run and the functions called were listed.
"""

from __future__ import annotations

import importlib
import linecache
import sys
from types import ModuleType
from typing import Any, NoReturn

from grader.sandbox.workers.imports import StandIn, forget_modules
from grader.sandbox.workers.library_off import every_function, retire
from grader.source.module_names import is_beneath

# torch.optim, torch.utils.checkpoint and torch.use_deterministic_algorithms load the first two, torch._check the third.
_COMPILER = ["torch._dynamo", "torch._dynamo.config", "torch._inductor", "torch._inductor.config"]
_SYMBOLIC_SHAPES = "torch.fx.experimental.symbolic_shapes"
_DISTRIBUTED_TENSORS = "torch.distributed.tensor"
_GUARDS = "expect_true guard_bool guard_int guard_float guard_size_oblivious guard_or_false guard_or_true"
_CPP_EXTENSIONS = "torch.utils.cpp_extension"  # torch.utils.benchmark loads it, and with it all of setuptools

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


def _refuse(*_arguments: object, **_keywords: object) -> NoReturn:
    raise RuntimeError("this part of torch is not available where steps are graded")


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
    others = {_SYMBOLIC_SHAPES: shapes, _DISTRIBUTED_TENSORS: tensors, _CPP_EXTENSIONS: ModuleType(_CPP_EXTENSIONS)}
    for name, module in {**instead, **others}.items():
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
    files = {getattr(module, "__file__", None): _NEEDED.get(name, "").split() for name, module in loaded.items()}
    for function in every_function():
        needed = files.get(function.__code__.co_filename, ["*"])
        if "*" not in needed and function.__code__.co_qualname.partition(".")[0] not in needed:
            retire(function, _refuse)
    forget_modules(sorted(loaded.keys() - _NEEDED.keys() - own, key=len, reverse=True))
    linecache.clearcache()
