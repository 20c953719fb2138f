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
    # <answer>
    return x.unflatten(2, (heads, -1)).transpose(1, 2)
    # </answer>


def merge_heads(y):
    """Put the features of all heads next to each other again: the inverse of `split_heads`.

    y: (batch, heads, time, size), with any strides
    Returns a tensor of shape (batch, time, heads * size).
    """
    # <answer>
    return y.transpose(1, 2).flatten(2)
    # </answer>


def dWo(dout, merged):
    # <answer>
    return torch.einsum("btd,btc->dc", merged, dout)
    # </answer>


def dmerged(dout, Wo):
    # <answer>
    return dout @ Wo.T
    # </answer>


def dcontexts(dmerged, heads):
    # <answer>
    return split_heads(dmerged, heads)
    # </answer>


def dweights(dcontexts, values):
    # <answer>
    return dcontexts @ values.transpose(2, 3)
    # </answer>


def dvalues(dcontexts, weights):
    # <answer>
    return weights.transpose(2, 3) @ dcontexts
    # </answer>


def dscores(dweights, weights):
    # <answer>
    return weights * (dweights - (dweights * weights).sum(3, keepdim=True))
    # </answer>


def dqh(dscores, keys):
    # <answer>
    return dscores @ keys / keys.shape[3] ** 0.5
    # </answer>


def dkeys(dscores, qh):
    # <answer>
    return dscores.transpose(2, 3) @ qh / qh.shape[3] ** 0.5
    # </answer>


def dvh(dvalues, groups):
    # <answer>
    return dvalues.unflatten(1, (groups, -1)).sum(2)
    # </answer>


def dkh(dkeys, groups):
    # <answer>
    return dkeys.unflatten(1, (groups, -1)).sum(2)
    # </answer>


def dq(dqh):
    # <answer>
    return merge_heads(dqh)
    # </answer>


def dk(dkh):
    # <answer>
    return merge_heads(dkh)
    # </answer>


def dv(dvh):
    # <answer>
    return merge_heads(dvh)
    # </answer>


def dWq(dq, x):
    # <answer>
    return torch.einsum("btc,btd->cd", x, dq)
    # </answer>


def dWk(dk, x):
    # <answer>
    return torch.einsum("btc,btd->cd", x, dk)
    # </answer>


def dWv(dv, x):
    # <answer>
    return torch.einsum("btc,btd->cd", x, dv)
    # </answer>


def dx(dq, dk, dv, Wq, Wk, Wv):
    # <answer>
    return dq @ Wq.T + dk @ Wk.T + dv @ Wv.T
    # </answer>
