"""Lesson 02: the backward pass of a small net, from the loss down to the input.

Each function returns the gradient of the loss with respect to one value of `forward.py`, in the shape of that value.
Its parameters are forward values (`h_norm`) and upstream gradients (`dh_norm`). The grader passes them by name. If you
need another one, add its name to the parameters. Return a new tensor, and do not change a parameter in place.
Work from the top to the bottom.

Check as often as you like:  dojo check 02
"""

import torch
import torch.nn.functional as F


def dlogits(logits, Y, N):
    """The gradient with respect to `logits`, of shape (4, 5).

    Where the forward pass reads it:

        loss = F.cross_entropy(logits, Y)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dh_bn(dlogits, W2):
    """The gradient with respect to `h_bn`, of shape (4, 20).

    Where the forward pass reads it:

        logits = h_bn @ W2 + b2
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dW2(dlogits, h_bn):
    """The gradient with respect to `W2`, of shape (20, 5).

    Where the forward pass reads it:

        logits = h_bn @ W2 + b2
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def db2(dlogits):
    """The gradient with respect to `b2`, of shape (5,).

    Where the forward pass reads it:

        logits = h_bn @ W2 + b2
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dgamma(dh_bn, h_norm):
    """The gradient with respect to `gamma`, of shape (20,).

    Where the forward pass reads it:

        h_bn = gamma * h_norm + beta
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dbeta(dh_bn):
    """The gradient with respect to `beta`, of shape (20,).

    Where the forward pass reads it:

        h_bn = gamma * h_norm + beta
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dh_norm(dh_bn, gamma):
    """The gradient with respect to `h_norm`, of shape (4, 20).

    Where the forward pass reads it:

        h_bn = gamma * h_norm + beta
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dh(dh_norm, h_norm, h_var, N):
    """The gradient with respect to `h`, of shape (4, 20).

    Where the forward pass reads it:

        h_mean = h.mean(0)
        h_var = h.var(0, unbiased=False)
        h_norm = (h - h_mean) / (h_var + 1e-5).sqrt()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dW(dh, X):
    """The gradient with respect to `W`, of shape (10, 20).

    Where the forward pass reads it:

        h = X @ W + b
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def db(dh):
    """The gradient with respect to `b`, of shape (20,).

    Where the forward pass reads it:

        h = X @ W + b
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dX(dh, W):
    """The gradient with respect to `X`, of shape (4, 10).

    Where the forward pass reads it:

        h = X @ W + b
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
