"""Lesson 05: the gradient of batch norm as one expression, with and without Bessel's correction.

Each function returns the gradient with respect to one value of `forward.py`, in the shape of that value. Its parameters
are forward values (`bnraw`) and the gradients above it (`dhpreact`), given to it by name; add any other that you need.
Return a new tensor, and leave what you are given as it is.

Take paper first. The expression is short once like terms are gathered; several lines of Python are fine as well.

Check as often as you like:  grade run . --lesson 05
"""

import torch


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    """The gradient with respect to `hprebn`, of shape (32, 64).

    Where the forward pass reads it:

        bnmeani = 1 / n * hprebn.sum(0, keepdim=True)
        bndiff = hprebn - bnmeani
        bnvar = 1 / (n - 1) * (bndiff**2).sum(0, keepdim=True)
        bnvar_inv = (bnvar + 1e-5) ** -0.5
        bnraw = bndiff * bnvar_inv
        hpreact = bngain * bnraw + bnbias
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dh(dh_bn, gamma, h_norm, h_var, N):
    """The gradient with respect to `h`, of shape (4, 20).

    Where the forward pass reads it:

        h_mean = h.mean(0)
        h_var = h.var(0, unbiased=False)
        h_norm = (h - h_mean) / (h_var + 1e-5).sqrt()
        h_bn = gamma * h_norm + beta
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
