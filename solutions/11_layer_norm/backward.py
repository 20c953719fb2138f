"""Lesson 11: Layer normalisation.

Each function returns the gradient with respect to one value of `forward.py`, in the shape of that value. Its parameters
are forward values and upstream gradients. The grader passes them by name. If you need another one, add its name to the
parameters.

The first eight go back through layer norm line by line. The last one, `dx`, goes through a whole layer norm at once.

Check as often as you like:  dojo check 11
"""

import torch


def dgain(dout, norm):
    # <answer>
    return (dout * norm).sum((0, 1))
    # </answer>


def dbias(dout):
    # <answer>
    return dout.sum((0, 1))
    # </answer>


def dnorm(dout, gain):
    # <answer>
    return dout * gain
    # </answer>


def dinv_std(dnorm, diff):
    # <answer>
    return (dnorm * diff).sum(-1, keepdim=True)
    # </answer>


def dvar(dinv_std, var):
    # <answer>
    return -0.5 * (var + 1e-5) ** -1.5 * dinv_std
    # </answer>


def ddiff(dnorm, dvar, inv_std, diff):
    # <answer>
    return dnorm * inv_std + dvar * 2 * diff / diff.shape[-1]
    # </answer>


def dmean(ddiff):
    # <answer>
    return -ddiff.sum(-1, keepdim=True)
    # </answer>


def dh(ddiff, dmean):
    # <answer>
    return ddiff + dmean / ddiff.shape[-1]
    # </answer>


def dx(dy, scale, xhat, rstd):
    # <answer>
    dxhat = dy * scale
    return rstd * (dxhat - dxhat.mean(-1, keepdim=True) - xhat * (dxhat * xhat).mean(-1, keepdim=True))
    # </answer>
