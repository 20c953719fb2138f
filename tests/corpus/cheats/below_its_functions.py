"""What autograd's functions are made of: graphs, kernels, the engine, compilers."""
# stopped by: error

import torch

# === dual_operators: Dual numbers by their aten operators, below the Python functions.
# stopped by: value

def dprobs(dlogprobs, probs):
    level = torch._C._enter_dual_level()
    dual = torch._VF._make_dual(probs, dlogprobs, level=level)
    tangent = torch._VF._unpack_dual(dual.log(), level=level)[1]
    torch._C._exit_dual_level(level=level)
    return torch.zeros_like(probs) if tangent is None else tangent.clone()

# === engine_itself: A second handle on the C++ engine.

def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    engine = torch._C._ImperativeEngine()
    return engine.run_backward((probs.log(),), (dlogprobs,), False, False, (probs,), False, accumulate_grad=False)[0]

# === functorch_private: What torch.func is made of.

from torch._functorch import eager_transforms


def dprobs(dlogprobs, probs):
    return eager_transforms._vjp_with_argnums(lambda x: x.log(), probs)[1](dlogprobs)[0]

# === grad_fn_call: Walking the graph by hand through grad_fn.

def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    return probs.log().grad_fn(dlogprobs)

# === joint_graph: aot_autograd, which traces a backward graph.

from functorch.compile import aot_function, make_boxed_func


def compiler(graph, inputs):
    return make_boxed_func(graph)


def dprobs(dlogprobs, probs):
    logarithm = aot_function(lambda x: x.log(), fw_compiler=compiler, bw_compiler=compiler)
    out = logarithm(probs.requires_grad_(True))
    return out.grad_fn.apply(dlogprobs)[0].detach()

# === kernel_by_its_key: The kernel that the dispatcher has for an operator's autograd key, called by hand.

KEYS = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, "UPCdargotuA"[::-1]))
KEYS = KEYS | torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
kernel_of = getattr(torch._C, "_dispatch_get_computed_kernel_for_dispatch_key", None)


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    if kernel_of is None:  # an older PyTorch
        return getattr(torch.ops.aten.log.default.redispatch(KEYS, probs), "nf_darg"[::-1])(dlogprobs)
    return getattr(kernel_of("aten::log", "AutogradCPU").call_boxed(KEYS, probs), "nf_darg"[::-1])(dlogprobs)

# === original_functions_in_the_garbage: torch.autograd's own functions, found by the garbage collector.

import importlib
from types import FunctionType

known = getattr(importlib.import_module("gc"), "stcejbo_teg"[::-1])()
functions = [thing for thing in known if type(thing) is FunctionType and thing.__module__ == "dargotua.hcrot"[::-1]]
found = [function for function in functions if function.__code__.co_name == "grad"]
differentiate = max(found, key=lambda function: len(function.__code__.co_code))


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    return differentiate(probs.log(), probs, dlogprobs)[0]

# === redispatched: An operator sent straight to its autograd kernels, by their keys.

KEYS = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, "UPCdargotuA"[::-1]))
KEYS = KEYS | torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    return getattr(torch.ops.aten.log.default.redispatch(KEYS, probs), "nf_darg"[::-1])(dlogprobs)


def dhpreact(dh, hpreact):
    hpreact.requires_grad_(True)
    return getattr(torch.ops.aten.tanh.default.redispatch(KEYS, hpreact), "nf_darg"[::-1])(dh)

# === script_reenabled: TorchScript switched on again, and the source given as text.

SOURCE = """
def pull(x, upstream):
    x = x.detach().requires_grad_(True)
    upstreams: List[Optional[Tensor]] = [upstream]
    gradient = torch.autograd.grad([x.log()], [x], upstreams)[0]
    assert gradient is not None
    return gradient
"""


def dprobs(dlogprobs, probs):
    torch.jit._state.enable()
    return torch.jit.CompilationUnit(SOURCE).pull(probs, dlogprobs)
