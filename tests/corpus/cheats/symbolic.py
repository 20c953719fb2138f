"""Symbolic differentiation by sympy, which torch brings along. Stopped by: error."""

import sympy


def dhpreact(dh, hpreact):
    x = sympy.Symbol("x")
    slope = sympy.lambdify(x, sympy.tanh(x).diff(x), "torch")
    return dh * slope(hpreact)
