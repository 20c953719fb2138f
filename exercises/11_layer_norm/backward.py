"""Lesson 11: Layer normalisation.

Each function returns the gradient with respect to one value of `forward.py`, in the shape of that value. Its parameters
are forward values and upstream gradients. The grader passes them by name. If you need another one, add its name to the
parameters.

The first eight go back through layer norm line by line. The last one, `dx`, goes through a whole layer norm at once.

Check as often as you like:  dojo check 11
"""

import torch


def dgain(dout, norm):
    """The gradient with respect to `gain`, of shape (32,).

    Where the forward pass reads it:

        out = gain * norm + bias
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dbias(dout):
    """The gradient with respect to `bias`, of shape (32,).

    Where the forward pass reads it:

        out = gain * norm + bias
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dnorm(dout, gain):
    """The gradient with respect to `norm`, of shape (4, 8, 32).

    Where the forward pass reads it:

        out = gain * norm + bias
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dinv_std(dnorm, diff):
    """The gradient with respect to `inv_std`, of shape (4, 8, 1).

    Where the forward pass reads it:

        norm = diff * inv_std
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dvar(dinv_std, var):
    """The gradient with respect to `var`, of shape (4, 8, 1).

    Where the forward pass reads it:

        inv_std = (var + 1e-5) ** -0.5
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def ddiff(dnorm, dvar, inv_std, diff):
    """The gradient with respect to `diff`, of shape (4, 8, 32).

    Where the forward pass reads it:

        var = (diff**2).mean(-1, keepdim=True)
        norm = diff * inv_std
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dmean(ddiff):
    """The gradient with respect to `mean`, of shape (4, 8, 1).

    Where the forward pass reads it:

        diff = h - mean
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dh(ddiff, dmean):
    """The gradient with respect to `h`, of shape (4, 8, 32).

    Where the forward pass reads it:

        mean = h.mean(-1, keepdim=True)
        diff = h - mean
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dx(dy, scale, xhat, rstd):
    """The gradient with respect to `x`, of shape (4, 8, 32).

    Where the forward pass reads it:

        mu = x.mean(-1, keepdim=True)
        rstd = (x.var(-1, keepdim=True, unbiased=False) + 1e-5) ** -0.5
        xhat = (x - mu) * rstd
        y = scale * xhat + shift
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
