"""Lesson 17: Convolution and pooling.

Each function returns the gradient with respect to one value of `forward.py`, in the shape of that value. Its parameters
are forward values and upstream gradients. The grader passes them by name. If you need another one, add its name.

Check as often as you like:  dojo check 17
"""

import torch


def dscores(scores, n):
    """The gradient with respect to `scores`, of shape (8,).

    Where the forward pass reads it:

        loss = (scores**2).sum() / n
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dw(dscores, x):
    """The gradient with respect to `w`, of shape (3,).

    Where the forward pass reads it:

        scores = x @ w
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
