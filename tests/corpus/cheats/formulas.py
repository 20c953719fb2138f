"""Derivative formulas and backward operators that PyTorch or sympy have."""
# stopped by: error

import builtins
import importlib
import importlib.util
import os
import sys
from types import FunctionType

import torch


def formula(code):
    """The code of one function of the file, made a function again: no import, no decorator of it runs."""
    (found,) = (value for value in code.co_consts if getattr(value, "co_name", "") == "drawkcab_hnat"[::-1])
    return FunctionType(found, {})

# === backward_by_operator_tables: Those formulas through the operator that holds them, under a computed name.

def dhpreact(dh, h):
    operator = getattr(torch.ops.aten, "_".join(["tanh", "backward"])).default
    formula = operator.py_kernels[torch._C.DispatchKey.Meta]
    return formula(dh, h)

# === backward_in_python: The same products written in Python inside torch.

from torch._decomp import decomposition_table
from torch._decomp.decompositions import tanh_backward


def dhpreact(dh, h):
    return tanh_backward(dh, h)


def dlogits_fused(logits, Yb, n):
    upstream = torch.zeros_like(logits)
    upstream[range(n), Yb] = -1.0 / n
    formula = decomposition_table[torch.ops.aten._log_softmax_backward_data.default]
    return formula(upstream, torch.log_softmax(logits, 1), 1, logits.dtype)

# === backward_operator: Vector-Jacobian products called by hand: aten's backward operators.
# stopped by: tripwire

aten = torch.ops.aten


def dhpreact(dh, h):
    return aten.tanh_backward(dh, h)  # here


def dh(dlogits, W2):
    out = torch.empty(dlogits.shape[0], W2.shape[0], dtype=W2.dtype)
    return aten.threshold_backward.default(dlogits @ W2.T, out.fill_(1.0), 0)  # here


def dlogits_fused(logits, Yb, n):
    upstream = torch.zeros_like(logits)
    upstream[range(n), Yb] = -1.0 / n
    return torch._log_softmax_backward_data(upstream, torch.log_softmax(logits, 1), 1, logits.dtype)  # here

# === convolution_gradient: A matrix product as a convolution, for whose gradients torch has functions.
# stopped by: tripwire

def dh(dlogits, W2):
    rows, columns = dlogits.shape[0], W2.shape[0]
    shape = (rows, columns, 1)
    return torch.nn.grad.conv1d_input(shape, W2.T[:, :, None], dlogits[:, :, None])[:, :, 0]  # here

# === formulas_for_jvp: A module with formulas that torch loads for forward mode, by a computed name.

formulas = importlib.import_module("pvj_rof_snoitisopmoced.pmoced_.hcrot"[::-1])
batch_norm_formula = vars(formulas)["drawkcab_mron_hctab_evitan"[::-1]]


def dbngain(dhpreact, bnraw):
    zero = torch.zeros(bnraw.shape[1])
    return batch_norm_formula(dhpreact, bnraw, None, None, None, zero, zero + 1, True, 1e-5, [False, True, False])[1][
        None
    ]

# === formulas_of_operators: The Python kernels that hang on the operators themselves.
# stopped by: tripwire

operator = getattr(torch.ops.aten, "drawkcab_hnat"[::-1]).default


def dhpreact(dh, h):
    with torch.inference_mode():
        for kernel in operator.py_kernels.values():
            if "moced"[::-1] in str(kernel):
                return kernel(dh, h)
        return operator(dh, h)  # here

# === formulas_read_from_disk: The source of PyTorch's formulas in Python, opened and run under another name.

with open(os.path.join(os.path.dirname(torch.__file__), "pmoced_"[::-1], "decompositions.py")) as file:
    tanh_formula = formula(getattr(builtins, "elipmoc"[::-1])(file.read(), "mine", "exec"))


def dhpreact(dh, h):
    return tanh_formula(dh, h)

# === formulas_without_the_finder: Every finder of the worker's own removed, then a plain import by a computed name.

from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder

before = list(sys.meta_path)
sys.meta_path[:] = [BuiltinImporter, FrozenImporter, PathFinder]
sys.path_importer_cache.clear()
try:
    formulas = importlib.import_module("snoitisopmoced.pmoced_.hcrot"[::-1])
finally:
    sys.meta_path[:] = before
tanh_formula = vars(formulas)["drawkcab_hnat"[::-1]]


def dhpreact(dh, h):
    return tanh_formula(dh, h)

# === symbolic: Symbolic differentiation by sympy, which torch brings along.

import sympy


def dhpreact(dh, hpreact):
    x = sympy.Symbol("x")
    slope = sympy.lambdify(x, sympy.tanh(x).diff(x), "torch")
    return dh * slope(hpreact)
