"""Lesson 12: one head of causal self-attention, backwards.

Write one function after the other, from the output to the input. `dout`, `dp` and `dO` are upstream gradients.
Check your work with `dojo check 12`. README.md explains the forward pass and derives one of the gradients.
"""

import torch

# One head in small steps.


def dWo(dout, context):
    """The gradient with respect to `Wo`, of shape (16, 32).

    Where the forward pass reads it:

        out = context @ Wo
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dcontext(dout, Wo):
    """The gradient with respect to `context`, of shape (4, 8, 16).

    Where the forward pass reads it:

        out = context @ Wo
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dweights(dcontext, v):
    """The gradient with respect to `weights`, of shape (4, 8, 8).

    Where the forward pass reads it:

        context = weights @ v
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dv(dcontext, weights):
    """The gradient with respect to `v`, of shape (4, 8, 16).

    Where the forward pass reads it:

        context = weights @ v
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dtotal(dweights, exps, total):
    """The gradient with respect to `total`, of shape (4, 8, 1).

    Where the forward pass reads it:

        weights = exps / total
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dexps(dweights, dtotal, total):
    """The gradient with respect to `exps`, of shape (4, 8, 8).

    Where the forward pass reads it:

        total = exps.sum(2, keepdim=True)
        weights = exps / total
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dmasked(dexps, exps):
    """The gradient with respect to `masked`, of shape (4, 8, 8).

    Where the forward pass reads it:

        exps = masked.exp()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dscores(dmasked, past):
    """The gradient with respect to `scores`, of shape (4, 8, 8).

    Where the forward pass reads it:

        masked = scores.masked_fill(~past, -math.inf)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dq(dscores, k):
    """The gradient with respect to `q`, of shape (4, 8, 16).

    Where the forward pass reads it:

        scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dk(dscores, q):
    """The gradient with respect to `k`, of shape (4, 8, 16).

    Where the forward pass reads it:

        scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dWq(dq, x):
    """The gradient with respect to `Wq`, of shape (32, 16).

    Where the forward pass reads it:

        q = x @ Wq
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dWk(dk, x):
    """The gradient with respect to `Wk`, of shape (32, 16).

    Where the forward pass reads it:

        k = x @ Wk
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dWv(dv, x):
    """The gradient with respect to `Wv`, of shape (32, 16).

    Where the forward pass reads it:

        v = x @ Wv
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dx(dq, dk, dv, Wq, Wk, Wv):
    """The gradient with respect to `x`, of shape (4, 8, 32).

    Where the forward pass reads it:

        q = x @ Wq
        k = x @ Wk
        v = x @ Wv
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# The softmax of a row in one expression.


def dz(dp, p):
    """The gradient with respect to `z`, of shape (4, 8, 8).

    Where the forward pass reads it:

        p = masked_softmax(z, allowed)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


# Scores, softmax and weighted sum in one expression each, from dO.


def dV(dO, P):
    """The gradient with respect to `V`, of shape (4, 8, 16).

    Where the forward pass reads it:

        O = P @ V
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dQ(dO, P, K, V):
    """The gradient with respect to `Q`, of shape (4, 8, 16).

    Where the forward pass reads it:

        P = attention_weights(Q, K, allowed)
        O = P @ V
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dK(dO, P, Q, V):
    """The gradient with respect to `K`, of shape (4, 8, 16).

    Where the forward pass reads it:

        P = attention_weights(Q, K, allowed)
        O = P @ V
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
