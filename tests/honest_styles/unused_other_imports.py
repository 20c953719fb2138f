"""Imports of libraries that steps do not get: unused at the top, or with a fallback of the file's own."""

import ctypes
import random

import networkx as nx
import sympy
import torch
from jax import grad as jax_grad
from sympy import *
from sympy.abc import x as symbol
from torch import _decomp
from torch.utils.tensorboard import SummaryWriter

try:
    import cupy as xp
except ImportError:
    import numpy as xp

try:
    from functorch import vmap
except ImportError:
    vmap = torch.vmap

random.seed(1)


def check_symbolically(expression):
    x = sympy.Symbol("x")
    return sympy.diff(expression, x), nx, jax_grad, symbol, SummaryWriter, ctypes, _decomp


def dprobs(dlogprobs, probs):
    assert float(xp.asarray([1.0]).sum()) == 1.0
    return dlogprobs / probs


def dW2(dlogits, h):
    return vmap(torch.outer)(h, dlogits).sum(0)
