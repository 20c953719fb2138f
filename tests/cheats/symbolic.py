"""Symbolic differentiation by sympy, which torch brings along. Stopped by: static, error."""

import sympy


def dhpreact(dh, hpreact):
    x = sympy.Symbol("x")  # static
    slope = sympy.lambdify(x, sympy.tanh(x).diff(x), "torch")  # static
    return dh * slope(hpreact)
