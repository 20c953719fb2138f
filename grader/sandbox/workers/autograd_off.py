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

import importlib
import pkgutil
import warnings
from collections import OrderedDict
from types import FunctionType, SimpleNamespace
from typing import Any

import torch
import torch.utils.hooks

from grader.calling.autograd_used import tripwire
from grader.sandbox.workers.library_off import operators_with, register, replace_operators, retire

# A backend may have an autograd key of its own, which wins over the alias `Autograd` for all of them.
_AUTOGRAD_KEYS = ["Autograd", "AutogradNestedTensor", "AutogradCPU", "AutogradOther", "AutogradCUDA"]

# To call one of these is to differentiate. The later entries are what the public ones are made of: named less well, but
# named. Those of torch._C are whatever makes or runs a TorchScript graph, and the switches of its executor.
_ACTS = {
    "torch.Tensor": "backward",
    "torch.autograd": "backward grad",
    "torch.autograd.functional": "vjp jvp jacobian hessian vhp hvp",
    "torch.autograd.forward_ad": "make_dual",
    "torch.autograd.gradcheck": """gradcheck gradgradcheck get_numerical_jacobian _get_numerical_jacobian
        get_numerical_jacobian_wrt_specific_input get_analytical_jacobian _get_analytical_jacobian""",
    "torch.autograd.graph": "_engine_run_backward",
    "torch.func": "vjp jvp linearize grad grad_and_value jacrev jacfwd hessian",
    "torch._functorch.eager_transforms": "_vjp_with_argnums _jvp_with_argnums grad_impl grad_and_value_impl",
    "torch._C._functorch": "_grad_increment_nesting _jvp_increment_nesting",
    "torch._C": """_jit_differentiate _jit_pass_create_autodiff_subgraphs _jit_set_profiling_executor
        _jit_set_profiling_mode _debug_set_autodiff_subgraph_inlining _jit_script_compile
        _jit_script_compile_overload _jit_script_class_compile _create_function_from_graph
        _create_function_from_trace _create_function_from_trace_with_dict _jit_interpret_graph _jit_to_static_module
        _jit_to_backend _jit_to_backend_selective parse_ir import_ir_module import_ir_module_from_buffer
        _import_ir_module_from_package _load_for_lite_interpreter _load_for_lite_interpreter_from_buffer
        _load_jit_module_from_bytes _load_jit_module_from_file ThroughputBenchmark""",
    **{f"torch._C.{name}": "__call__" for name in ("ScriptFunction", "ScriptMethod", "ScriptClass")},
    "torch._C.ScriptClassFunction": "__call__",
    "torch._C.LiteScriptModule": "forward run_method",
    "torch._C.CompilationUnit": "define create_function",
}


def take_away_autograd() -> None:
    """Remove automatic differentiation from this process and all it forks. There is no way back.

    Call it once in the zygote, after its imports and warm-up; library_off.py does the rest in each worker, before any
    student code. All other arithmetic keeps its values bit by bit. Takes about 0.1 s, half of it for the fallthrough
    kernels.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of what functorch was
        fallthrough: object = torch.library.fallthrough_kernel
        register((name, key, fallthrough) for key in _AUTOGRAD_KEYS for name in operators_with(key))
        replace_operators(_is_derivative, lambda name: tripwire(f"torch.ops.aten.{name}"))
        switches: Any = torch._C
        importlib.import_module("torch.jit._state").disable()  # torch.jit.script(f) is f, as with PYTORCH_JIT=0
        switches._jit_set_profiling_executor(True)  # the default; the older one differentiates, see above
        switches._jit_set_profiling_mode(True)
        _place_tripwires()


def _is_derivative(name: str) -> bool:
    """``tanh_backward`` and its like, which no forward operator calls through the dispatcher."""
    return "backward" in name or "_jvp" in name


def _place_tripwires() -> None:
    for owner, names in _ACTS.items():
        place = pkgutil.resolve_name(owner)
        where = place.__name__ if isinstance(place, type) else owner
        for name in names.split():
            function, instead = getattr(place, name, None), tripwire(f"{where}.{name}")
            if type(function) is FunctionType:  # under other names it has other code
                retire(function, instead)
            if function is not None:  # private names come and go between versions of torch
                setattr(place, name, instead)  # another function, which TorchScript does not know
    changeable: Any = torch
    retire(changeable.compile, _uncompiled)  # to compile is not to differentiate
    engine = {name: tripwire(f"Variable._execution_engine.{name}") for name in ("run_backward", "queue_callback")}
    changeable.autograd.Variable._execution_engine = SimpleNamespace(**engine)
    # These raise on a tensor that requires no gradient, as no result does any more; without a backward they do nothing.
    changeable.Tensor.retain_grad = lambda self: None
    changeable.Tensor.register_hook = lambda self, hook: torch.utils.hooks.RemovableHandle(OrderedDict())


def _uncompiled(model: Any = None, **_options: Any) -> Any:
    """``torch.compile`` without the compiler: gives the function itself, also as ``@torch.compile(…)``."""
    return (lambda function: function) if model is None else model


_LEAF = torch.ones(1, requires_grad=True)


def autograd_works() -> bool:
    """Whether an operator on a tensor that requires a gradient gives one that does. Takes 2 microseconds."""
    enabled = torch.is_grad_enabled()
    torch._C._set_grad_enabled(True)
    try:
        return bool((_LEAF * _LEAF).requires_grad)
    finally:
        torch._C._set_grad_enabled(enabled)
