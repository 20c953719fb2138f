"""Lesson 08: a gradient checker. Is the gradient that somebody claims the gradient of this function?

Everything here is numpy in float64. A function `f` takes an array of the shape of `x` and returns a float; all that you
can do with it is to call it. README.md says what counts as right and what as wrong.

Check as often as you like:  dojo check 08
"""

import numpy as np


def numerical_gradient(f, x, eps=1e-5):
    """The central difference quotient of `f` at `x`, one element at a time, with the step `eps` and no other.

    x: an array of any shape, also () and of integers; the same to the last bit when you return.
    Returns a float64 array of the shape of `x`.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def relative_error(a, b):
    """The largest over all elements of |a - b| / max(|a|, |b|).

    a, b: arrays of one shape. An element in which both are zero counts as 0.
    Returns a float. The same for (a, b) as for (b, a).
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def gradient_check(f, x, dx, eps=1e-5):
    """Whether `dx` is the gradient of `f` at `x`.

    x:   an array of any shape, also () and of integers
    dx:  the claimed gradient. One of another shape than `x` is wrong, and so is one with a NaN or an infinity in it.
    eps: the step that the caller proposes. The verdict must be right even if it is far too small or too large.

    Returns a pair (ok, error). ok is what is graded: True or False; or None, "cannot tell", where the values of `f` do
    not determine the slope to 1 % (the hidden suite has no such case). error: a float, an upper limit of the relative
    error as far as you can tell (infinity where there is none to compute); yours to define.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def wrong_gradients(f, parameters, gradients, eps=1e-5):
    """Checks the gradients of a whole network: the names of the wrong ones.

    f:          takes a dict like `parameters` and returns the loss as a float
    parameters: {name: array}
    gradients:  {name: claimed gradient}. A parameter that has none here counts as wrong.

    Returns a list of names, in the order of `parameters`; an empty one if all is well. A gradient of which
    `gradient_check` cannot tell whether it is right is listed, too.
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
