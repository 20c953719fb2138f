"""Lesson 03: the backward pass of the whole network, one step at a time.

Each function below returns the gradient in its name: `dprobs` is the derivative of the loss with respect to `probs`.
The grader passes the parameters by name: forward values (forward.py has every line), and upstream gradients with a `d`
in front. If you need another forward value, add its name to the parameters. Never change a parameter in place: start
from a `.clone()`.

Fill in the functions in any order (the natural order is from the top), and check as often as you like:

    dojo check 03

A function that you have not written yet is "to do" and does not affect the others: the grader gives every function
correct upstream gradients, whatever your other functions return.
"""

import torch
import torch.nn.functional as F


def dlogprobs(logprobs, Yb, n):
    """The gradient with respect to `logprobs`, of shape (32, 27).

    Where the forward pass reads it:

        loss = -logprobs[range(n), Yb].mean()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dprobs(dlogprobs, probs):
    """The gradient with respect to `probs`, of shape (32, 27).

    Where the forward pass reads it:

        logprobs = probs.log()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dcounts_sum_inv(dprobs, counts):
    """The gradient with respect to `counts_sum_inv`, of shape (32, 1).

    Where the forward pass reads it:

        probs = counts * counts_sum_inv
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dcounts_sum(dcounts_sum_inv, counts_sum):
    """The gradient with respect to `counts_sum`, of shape (32, 1).

    Where the forward pass reads it:

        counts_sum_inv = counts_sum**-1
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    """The gradient with respect to `counts`, of shape (32, 27).

    Where the forward pass reads it:

        counts_sum = counts.sum(1, keepdim=True)
        probs = counts * counts_sum_inv
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dnorm_logits(dcounts, counts):
    """The gradient with respect to `norm_logits`, of shape (32, 27).

    Where the forward pass reads it:

        counts = norm_logits.exp()
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dlogit_maxes(dnorm_logits):
    """The gradient with respect to `logit_maxes`, of shape (32, 1).

    Where the forward pass reads it:

        norm_logits = logits - logit_maxes
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dlogits(dnorm_logits, dlogit_maxes, logits):
    """The gradient with respect to `logits`, of shape (32, 27).

    Where the forward pass reads it:

        logit_maxes = logits.max(1, keepdim=True).values
        norm_logits = logits - logit_maxes
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dh(dlogits, W2):
    """The gradient with respect to `h`, of shape (32, 64).

    Where the forward pass reads it:

        logits = h @ W2 + b2
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dW2(dlogits, h):
    """The gradient with respect to `W2`, of shape (64, 27).

    Where the forward pass reads it:

        logits = h @ W2 + b2
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def db2(dlogits):
    """The gradient with respect to `b2`, of shape (27,).

    Where the forward pass reads it:

        logits = h @ W2 + b2
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dhpreact(dh, h):
    """The gradient with respect to `hpreact`, of shape (32, 64).

    Where the forward pass reads it:

        h = torch.tanh(hpreact)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dbngain(dhpreact, bnraw):
    """The gradient with respect to `bngain`, of shape (1, 64).

    Where the forward pass reads it:

        hpreact = bngain * bnraw + bnbias
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dbnbias(dhpreact):
    """The gradient with respect to `bnbias`, of shape (1, 64).

    Where the forward pass reads it:

        hpreact = bngain * bnraw + bnbias
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dbnraw(dhpreact, bngain):
    """The gradient with respect to `bnraw`, of shape (32, 64).

    Where the forward pass reads it:

        hpreact = bngain * bnraw + bnbias
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dbnvar_inv(dbnraw, bndiff):
    """The gradient with respect to `bnvar_inv`, of shape (1, 64).

    Where the forward pass reads it:

        bnraw = bndiff * bnvar_inv
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dbnvar(dbnvar_inv, bnvar):
    """The gradient with respect to `bnvar`, of shape (1, 64).

    Where the forward pass reads it:

        bnvar_inv = (bnvar + 1e-5) ** -0.5
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dbndiff2(dbnvar, bndiff2, n):
    """The gradient with respect to `bndiff2`, of shape (32, 64).

    Where the forward pass reads it:

        bnvar = 1 / (n - 1) * bndiff2.sum(0, keepdim=True)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dbndiff(dbnraw, bnvar_inv, dbndiff2, bndiff):
    """The gradient with respect to `bndiff`, of shape (32, 64).

    Where the forward pass reads it:

        bndiff2 = bndiff**2
        bnraw = bndiff * bnvar_inv
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dbnmeani(dbndiff):
    """The gradient with respect to `bnmeani`, of shape (1, 64).

    Where the forward pass reads it:

        bndiff = hprebn - bnmeani
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dhprebn(dbndiff, dbnmeani, n):
    """The gradient with respect to `hprebn`, of shape (32, 64).

    Where the forward pass reads it:

        bnmeani = 1 / n * hprebn.sum(0, keepdim=True)
        bndiff = hprebn - bnmeani
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dembcat(dhprebn, W1):
    """The gradient with respect to `embcat`, of shape (32, 30).

    Where the forward pass reads it:

        hprebn = embcat @ W1 + b1
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dW1(dhprebn, embcat):
    """The gradient with respect to `W1`, of shape (30, 64).

    Where the forward pass reads it:

        hprebn = embcat @ W1 + b1
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def db1(dhprebn):
    """The gradient with respect to `b1`, of shape (64,).

    Where the forward pass reads it:

        hprebn = embcat @ W1 + b1
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def demb(dembcat, emb):
    """The gradient with respect to `emb`, of shape (32, 3, 10).

    Where the forward pass reads it:

        embcat = emb.view(emb.shape[0], -1)
    """
    # TODO: replace the next line by your own
    raise NotImplementedError


def dC(demb, C, Xb):
    """The gradient with respect to `C`, of shape (27, 10).

    Where the forward pass reads it:

        emb = C[Xb]
    """
    # TODO: replace the next line by your own
    raise NotImplementedError
