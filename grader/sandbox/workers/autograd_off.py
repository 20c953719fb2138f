"""Takes automatic differentiation away from a process, for good, and puts tripwires where code could request it.

Two halves, because each lacks what the other has:

* **In C++**, where Python cannot put it back. PyTorch chooses an operator's kernel by *dispatch key*; reverse mode,
  forward mode and ``torch.func`` live under the key ``Autograd``. A *fallthrough* kernel there sends every operator
  straight to its arithmetic (https://pytorch.org/docs/stable/library.html#torch.library.fallthrough_kernel).
  Two ways do not pass that key and are closed apart: ``aten::…_backward``, vector-Jacobian products to be called by
  hand, and TorchScript, which differentiates graphs by formulas of its own (``torch/csrc/jit/runtime/autodiff.cpp``):
  with fallthrough kernels alone, its older executor still gives exact gradients.
* **In Python**, where the student's line is known. ``torch.func.grad`` now returns zeros without a word, so the entry
  points raise `AutogradUsed`. Only *acts* of differentiation do: ``requires_grad=True``, ``retain_grad()``,
  ``torch.enable_grad()`` or a ``torch.autograd.Function`` that nobody differentiates stay harmless, and honest code
  that mentions them runs as before.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.utils.hooks

from grader.calling.autograd_used import AutogradUsed, delayed_tripwire, tripwire, tripwires

__all__ = ["AutogradUsed", "take_away_autograd", "tripwires"]

_taken_away = False


def take_away_autograd() -> None:
    """Remove automatic differentiation from this process and all it forks. There is no way back.

    Call it once in the zygote, after its imports and warm-up; library_off.py does the rest in each worker, before any
    student code. All other arithmetic keeps its values bit by bit. Takes about 0.1 s, half of it for the fallthrough
    kernels; a second call does nothing.
    """
    global _taken_away
    if _taken_away:
        return
    _taken_away = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of every kernel that is replaced, and of what functorch was
        _replace_kernels()
        _quieten_torchscript()
        _place_tripwires()


# ---- in C++ ----

# A backend may have an autograd key of its own, which wins over the alias `Autograd` for all of them.
_AUTOGRAD_KEYS = ["Autograd", "AutogradNestedTensor", "AutogradCPU", "AutogradOther", "AutogradCUDA"]
_ARITHMETIC_KEYS = [
    *["CPU", "SparseCPU", "SparseCsrCPU", "MkldnnCPU", "NestedTensorCPU"],
    *["CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"],
]


def _is_backward(name: str) -> bool:
    """``tanh_backward`` and its like, which no forward operator calls through the dispatcher."""
    return "backward" in name or "_jvp" in name


_keys_of: dict[str, set[str]] = {}  # operator -> where it has a kernel


def _replace_kernels() -> None:
    dispatcher: Any = torch._C
    kernels: list[tuple[str, str, object]] = []
    for key in (*_AUTOGRAD_KEYS, *_ARITHMETIC_KEYS):
        for name in dispatcher._dispatch_get_registrations_for_dispatch_key(key):
            namespace, _, operator = name.partition("::")
            if namespace != "aten":
                continue
            if key in _AUTOGRAD_KEYS:
                kernels.append((operator, key, torch.library.fallthrough_kernel))
                continue
            _keys_of.setdefault(operator, set()).add(key)
            if _is_backward(operator):
                kernels.append((operator, key, tripwire(f"torch.ops.aten.{operator}")))
    _register(kernels)


def replace_operators(matches: Callable[[str], bool], kernel: Callable[[str], object]) -> None:
    """Give every operator whose name matches the kernel `kernel(name)`, for good.

    Call it before `library_off.lock_the_dispatcher`. A name is that of an overload, such as ``rnn_tanh.input``.
    """
    _register([(name, key, kernel(name)) for name, keys in _keys_of.items() if matches(name) for key in keys])


def _register(kernels: Sequence[tuple[str, str, object]]) -> None:
    """Register kernels of operators by dispatch key.

    They stay as long as the library object that registers them. One reference too many keeps this for ever, and
    `library_off.lock_the_dispatcher` takes its `reset` from it.
    """
    dispatcher: Any = torch._C
    library = dispatcher._dispatch_library("IMPL", "aten", "", "not allowed", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of every kernel that is replaced
        for operator, key, kernel in kernels:
            library.impl(operator, key, kernel)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


_LEAF = torch.ones(1, requires_grad=True)


def autograd_works() -> bool:
    """Whether an operator on a tensor that requires a gradient gives one that does. Takes 2 microseconds."""
    enabled = torch.is_grad_enabled()
    torch._C._set_grad_enabled(True)
    try:
        return bool((_LEAF * _LEAF).requires_grad)
    finally:
        torch._C._set_grad_enabled(enabled)


# ---- in Python ----

# To call one of these is to differentiate. The later entries are what the public ones are made of: named less well, but
# named. Those of torch._C are whatever makes or runs a TorchScript graph, and the switches of its executor.
_ACTS = {
    "torch.autograd": "backward grad",
    "torch.autograd.functional": "vjp jvp jacobian hessian vhp hvp",
    "torch.autograd.forward_ad": "make_dual",
    "torch.autograd.gradcheck": """gradcheck gradgradcheck get_numerical_jacobian _get_numerical_jacobian
        get_numerical_jacobian_wrt_specific_input get_analytical_jacobian _get_analytical_jacobian""",
    "torch.autograd.graph": "_engine_run_backward",
    "torch.func": "vjp jvp linearize",
    "functorch": "vjp jvp",
    "torch._functorch.eager_transforms": "_vjp_with_argnums _jvp_with_argnums grad_impl grad_and_value_impl",
    "torch._C._functorch": "_grad_increment_nesting _jvp_increment_nesting",
    "torch._C": """_jit_differentiate _jit_pass_create_autodiff_subgraphs _jit_set_profiling_executor
        _jit_set_profiling_mode _debug_set_autodiff_subgraph_inlining _jit_script_compile
        _jit_script_compile_overload _jit_script_class_compile _create_function_from_graph
        _create_function_from_trace _create_function_from_trace_with_dict _jit_interpret_graph _jit_to_static_module
        _jit_to_backend _jit_to_backend_selective parse_ir import_ir_module import_ir_module_from_buffer
        _import_ir_module_from_package _load_for_lite_interpreter _load_for_lite_interpreter_from_buffer
        _load_jit_module_from_bytes _load_jit_module_from_file ThroughputBenchmark""",
}
_TRANSFORMS = {
    "torch.func": "grad grad_and_value jacrev jacfwd hessian",
    "functorch": "grad grad_and_value jacrev jacfwd hessian",
}
_METHODS = {
    "torch.Tensor": "backward",
    "torch._C.ScriptFunction": "__call__",
    "torch._C.ScriptMethod": "__call__",
    "torch._C.ScriptClass": "__call__",
    "torch._C.ScriptClassFunction": "__call__",
    "torch._C.LiteScriptModule": "forward run_method",
    "torch._C.CompilationUnit": "define create_function",
}


def _quieten_torchscript() -> None:
    """``torch.jit.script(f)`` is ``f``, as with ``PYTORCH_JIT=0``; what is scripted all the same has no derivatives."""
    importlib.import_module("torch.jit._state").disable()
    switches: Any = torch._C
    switches._jit_set_profiling_executor(True)  # the default; the older one differentiates, see above
    switches._jit_set_profiling_mode(True)


def _place_tripwires() -> None:
    stand_ins: list[tuple[object, object]] = [(torch.compile, _uncompiled)]  # to compile is not to differentiate
    stand_ins += _stand_ins(_ACTS, tripwire)
    stand_ins += _stand_ins(_TRANSFORMS, delayed_tripwire)
    _replace_in_all_modules(stand_ins)
    for class_path, names in _METHODS.items():
        module_name, _, class_name = class_path.rpartition(".")
        for name in names.split():
            owner = getattr(importlib.import_module(module_name), class_name)
            setattr(owner, name, tripwire(f"{class_name}.{name}"))
    changeable: Any = torch
    changeable.autograd.Variable._execution_engine = _Engine()
    # These raise on a tensor that requires no gradient, as no result does any more; without a backward they do nothing.
    changeable.Tensor.retain_grad = lambda self: None
    changeable.Tensor.register_hook = lambda self, hook: torch.utils.hooks.RemovableHandle(OrderedDict())


class _Engine:
    """Replaces the C++ engine where Python code finds it, in ``torch.autograd.Variable._execution_engine``."""

    run_backward = staticmethod(tripwire("Variable._execution_engine.run_backward"))
    queue_callback = staticmethod(tripwire("Variable._execution_engine.queue_callback"))


def _uncompiled(model: Any = None, **_options: Any) -> Any:
    """``torch.compile`` without the compiler: gives the function itself, also as ``@torch.compile(…)``."""
    return (lambda function: function) if model is None else model


def _stand_ins(table: dict[str, str], make: Callable[[str], object]) -> list[tuple[object, object]]:
    """(function, its stand-in) for each name in the table; private names come and go between versions of torch."""
    pairs = []
    for module_name, names in table.items():
        module = importlib.import_module(module_name)
        for name in names.split():
            if hasattr(module, name):
                pairs.append((getattr(module, name), make(f"{module_name}.{name}")))
    return pairs


def _replace_in_all_modules(stand_ins: list[tuple[object, object]]) -> None:
    """Put each stand-in wherever a loaded module holds the original, under any name, as torch exports much twice."""
    by_identity = {id(original): stand_in for original, stand_in in stand_ins}
    for module in list(sys.modules.values()):
        namespace = getattr(module, "__dict__", {})
        for name, value in list(namespace.items()):
            if id(value) in by_identity:
                namespace[name] = by_identity[id(value)]
