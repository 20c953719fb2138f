"""Lesson 08: a gradient checker. Somebody claims a gradient of a function: is the claim right?

Everything here is numpy in float64. A function `f` takes an array of the shape of `x` and returns a float. You can call
it, but you cannot look inside. README.md defines what counts as right and what counts as wrong.

Check as often as you like:  dojo check 08
"""

import numpy as np


def numerical_gradient(f, x, eps=1e-5):
    """The central difference quotient of `f` at `x`, one element at a time, with exactly the step `eps`.

    x: an array of any shape, including (), of floats or integers. Leave it unchanged, to the last bit.
    Returns a float64 array of the shape of `x`.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def relative_error(a, b):
    """The largest value of |a - b| / max(|a|, |b|) over all elements.

    a, b: arrays of the same shape. An element in which both are zero counts as 0.
    Returns a float. It is the same for (a, b) and for (b, a).
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def gradient_check(f, x, dx, eps=1e-5):
    """Whether `dx` is the gradient of `f` at `x`.

    x:   an array of any shape, including (), of floats or integers
    dx:  the claimed gradient. It is wrong if its shape is not that of `x`, or if it contains a NaN or an infinity.
    eps: the step that the caller proposes. Your verdict must be right even if this step is far too small or too large.

    Returns a pair (ok, error).
    ok:    True or False. Only this is graded. It may be None, "cannot tell", where the values of `f` do not determine
           the slope to 1 %. The hidden test suite has no such case.
    error: a float that you define yourself: an upper limit of the relative error, as far as you can tell, and infinity
           if there is none to compute.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def wrong_gradients(f, parameters, gradients, eps=1e-5):
    """The names of the wrong gradients of a whole network.

    f:          takes a dict like `parameters` and returns the loss as a float
    parameters: {name: array}
    gradients:  {name: claimed gradient}. A parameter without a gradient here counts as wrong.

    Returns a list of names, in any order. It is empty if all gradients are right. Also list a gradient for which
    `gradient_check` cannot tell.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
