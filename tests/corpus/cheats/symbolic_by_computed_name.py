"""Symbolic differentiation by sympy, imported by a computed name. Stopped by: error."""

import importlib

algebra = importlib.import_module("ypmys"[::-1])
x = algebra.Symbol("x")
slope = algebra.lambdify(x, algebra.tanh(x).diff(x), "numpy")


def dhpreact(dh, hpreact):
    return dh * slope(hpreact.numpy())
