"""Lesson 12: one head of causal self-attention, backwards.

Write one function after the other, from the output to the input. `dout`, `dp` and `dO` are upstream gradients.
Check your work with `dojo check 12`. README.md explains the forward pass and derives one of the gradients.
"""

import torch

# One head in small steps.


def dWo(dout, context):
    # <answer>
    return torch.einsum("bth,btc->hc", context, dout)
    # </answer>


def dcontext(dout, Wo):
    # <answer>
    return dout @ Wo.T
    # </answer>


def dweights(dcontext, v):
    # <answer>
    return dcontext @ v.transpose(1, 2)
    # </answer>


def dv(dcontext, weights):
    # <answer>
    return weights.transpose(1, 2) @ dcontext
    # </answer>


def dtotal(dweights, exps, total):
    # <answer>
    return -(dweights * exps / total**2).sum(2, keepdim=True)
    # </answer>


def dexps(dweights, dtotal, total):
    # <answer>
    return dweights / total + dtotal
    # </answer>


def dmasked(dexps, exps):
    # <answer>
    return dexps * exps
    # </answer>


def dscores(dmasked, past):
    # <answer>
    return dmasked.masked_fill(~past, 0.0)
    # </answer>


def dq(dscores, k):
    # <answer>
    return dscores @ k / k.shape[2] ** 0.5
    # </answer>


def dk(dscores, q):
    # <answer>
    return dscores.transpose(1, 2) @ q / q.shape[2] ** 0.5
    # </answer>


def dWq(dq, x):
    # <answer>
    return torch.einsum("btc,bth->ch", x, dq)
    # </answer>


def dWk(dk, x):
    # <answer>
    return torch.einsum("btc,bth->ch", x, dk)
    # </answer>


def dWv(dv, x):
    # <answer>
    return torch.einsum("btc,bth->ch", x, dv)
    # </answer>


def dx(dq, dk, dv, Wq, Wk, Wv):
    # <answer>
    return dq @ Wq.T + dk @ Wk.T + dv @ Wv.T
    # </answer>


# The softmax of a row in one expression.


def dz(dp, p):
    # <answer>
    return p * (dp - (dp * p).sum(2, keepdim=True))
    # </answer>


# Scores, softmax and weighted sum in one expression each, from dO.


def dV(dO, P):
    # <answer>
    return P.transpose(1, 2) @ dO
    # </answer>


def dQ(dO, P, K, V):
    # <answer>
    dP = dO @ V.transpose(1, 2)
    dS = P * (dP - (dP * P).sum(2, keepdim=True))
    return dS @ K / K.shape[2] ** 0.5
    # </answer>


def dK(dO, P, Q, V):
    # <answer>
    dP = dO @ V.transpose(1, 2)
    dS = P * (dP - (dP * P).sum(2, keepdim=True))
    return dS.transpose(1, 2) @ Q / Q.shape[2] ** 0.5
    # </answer>
