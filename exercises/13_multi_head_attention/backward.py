"""Lesson 13: attention with several heads, backwards.

First write the two functions that change shapes; you can use them in the gradients. Then write one gradient after the
other, from the output to the input. `dout` is the upstream gradient of `out`. Check your work with `dojo check 13`.
README.md explains the forward pass and derives one of the gradients.
"""

import torch


def split_heads(x, heads):
    """Give each head its features: head h gets the h-th block of the last axis.

    x: (batch, time, heads * size), with any strides
    heads: the number of heads
    Returns a tensor of shape (batch, heads, time, size).
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def merge_heads(y):
    """Put the features of all heads next to each other again: the inverse of `split_heads`.

    y: (batch, heads, time, size), with any strides
    Returns a tensor of shape (batch, time, heads * size).
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dWo(dout, merged):
    """The gradient with respect to `Wo`, of shape (24, 32).

    Where the forward pass reads it:

        out = merged @ Wo
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dmerged(dout, Wo):
    """The gradient with respect to `merged`, of shape (2, 8, 24).

    Where the forward pass reads it:

        out = merged @ Wo
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dcontexts(dmerged, heads):
    """The gradient with respect to `contexts`, of shape (2, 4, 8, 6).

    Where the forward pass reads it:

        merged = contexts.transpose(1, 2).flatten(2)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dweights(dcontexts, values):
    """The gradient with respect to `weights`, of shape (2, 4, 8, 8).

    Where the forward pass reads it:

        contexts = weights @ values
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dvalues(dcontexts, weights):
    """The gradient with respect to `values`, of shape (2, 4, 8, 6).

    Where the forward pass reads it:

        contexts = weights @ values
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dscores(dweights, weights):
    """The gradient with respect to `scores`, of shape (2, 4, 8, 8).

    Where the forward pass reads it:

        weights = F.softmax(scores.masked_fill(~past, -math.inf), 3)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dqh(dscores, keys):
    """The gradient with respect to `qh`, of shape (2, 4, 8, 6).

    Where the forward pass reads it:

        scores = qh @ keys.mT / qh.shape[3] ** 0.5
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dkeys(dscores, qh):
    """The gradient with respect to `keys`, of shape (2, 4, 8, 6).

    Where the forward pass reads it:

        scores = qh @ keys.mT / qh.shape[3] ** 0.5
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dvh(dvalues, groups):
    """The gradient with respect to `vh`, of shape (2, 2, 8, 6).

    Where the forward pass reads it:

        values = vh.repeat_interleave(heads // groups, 1)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dkh(dkeys, groups):
    """The gradient with respect to `kh`, of shape (2, 2, 8, 6).

    Where the forward pass reads it:

        keys = kh.repeat_interleave(heads // groups, 1)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dq(dqh):
    """The gradient with respect to `q`, of shape (2, 8, 24).

    Where the forward pass reads it:

        qh = q.unflatten(2, (heads, -1)).transpose(1, 2)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dk(dkh):
    """The gradient with respect to `k`, of shape (2, 8, 12).

    Where the forward pass reads it:

        kh = k.unflatten(2, (groups, -1)).transpose(1, 2)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dv(dvh):
    """The gradient with respect to `v`, of shape (2, 8, 12).

    Where the forward pass reads it:

        vh = v.unflatten(2, (groups, -1)).transpose(1, 2)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dWq(dq, x):
    """The gradient with respect to `Wq`, of shape (32, 24).

    Where the forward pass reads it:

        q = x @ Wq
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dWk(dk, x):
    """The gradient with respect to `Wk`, of shape (32, 12).

    Where the forward pass reads it:

        k = x @ Wk
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dWv(dv, x):
    """The gradient with respect to `Wv`, of shape (32, 12).

    Where the forward pass reads it:

        v = x @ Wv
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dx(dq, dk, dv, Wq, Wk, Wv):
    """The gradient with respect to `x`, of shape (2, 8, 32).

    Where the forward pass reads it:

        q = x @ Wq
        k = x @ Wk
        v = x @ Wv
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
