"""Lesson 05: the gradient of batch norm as one expression, with and without Bessel's correction.

Each function returns the gradient with respect to one value of `forward.py`, in the shape of that value. Its parameters
are forward values (`bnraw`) and the gradients above it (`dhpreact`), given to it by name; add any other that you need.
Return a new tensor, and leave what you are given as it is.

Take paper first. The expression is short once like terms are gathered; several lines of Python are fine as well.

Check as often as you like:  grade run . --lesson 05
"""

import torch


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    # <answer>
    through_mean = dhpreact.sum(0, keepdim=True)
    through_variance = n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0, keepdim=True)
    return bngain * bnvar_inv / n * (n * dhpreact - through_mean - through_variance)
    # </answer>


def dh(dh_bn, gamma, h_norm, h_var, N):
    # <answer>
    through_mean = dh_bn.sum(0)
    through_variance = h_norm * (dh_bn * h_norm).sum(0)
    return gamma / (N * torch.sqrt(h_var + 1e-5)) * (N * dh_bn - through_mean - through_variance)
    # </answer>
