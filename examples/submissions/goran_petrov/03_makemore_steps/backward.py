"""Lesson 03: the backward pass of the whole network, one step at a time.

Each function below returns the gradient that it is named for: `dprobs` is the derivative of the loss with respect to
`probs`. Its parameters are given by name: forward values by theirs (forward.py has every line), and upstream gradients
with a `d` in front. Need another forward value? Add its name to the parameters. Never change a parameter in place:
take a `.clone()` first.

Fill in the functions from the top, in any order you like, and check as often as you like:

    grade run . --lesson 03

What you have not written yet counts as "to do" and spoils nothing else: every function is given the right upstream
gradients, whatever your other functions return.
"""

import torch
import torch.nn.functional as F


def dlogprobs(logprobs, Yb, n):
    """The gradient with respect to `logprobs`, of shape (32, 27).

    Where the forward pass reads it:

        loss = -logprobs[range(n), Yb].mean()
    """
    gradient = torch.zeros_like(logprobs)
    gradient[range(n), Yb] = -1.0 / n
    return gradient


def dprobs(dlogprobs, probs):
    """The gradient with respect to `probs`, of shape (32, 27).

    Where the forward pass reads it:

        logprobs = probs.log()
    """
    return dlogprobs / probs


def dcounts_sum_inv(dprobs, counts):
    """The gradient with respect to `counts_sum_inv`, of shape (32, 1).

    Where the forward pass reads it:

        probs = counts * counts_sum_inv
    """
    return (counts * dprobs).sum(1, keepdim=True)


def dcounts_sum(dcounts_sum_inv, counts_sum):
    """The gradient with respect to `counts_sum`, of shape (32, 1).

    Where the forward pass reads it:

        counts_sum_inv = counts_sum**-1
    """
    return -(counts_sum**-2) * dcounts_sum_inv


def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    """The gradient with respect to `counts`, of shape (32, 27).

    Where the forward pass reads it:

        counts_sum = counts.sum(1, keepdim=True)
        probs = counts * counts_sum_inv
    """
    through_probs = counts_sum_inv * dprobs
    through_the_sum = dcounts_sum  # (n, 1): the addition copies it along the row
    return through_probs + through_the_sum


def dnorm_logits(dcounts, counts):
    """The gradient with respect to `norm_logits`, of shape (32, 27).

    Where the forward pass reads it:

        counts = norm_logits.exp()
    """
    return counts * dcounts


def dlogit_maxes(dnorm_logits):
    """The gradient with respect to `logit_maxes`, of shape (32, 1).

    Where the forward pass reads it:

        norm_logits = logits - logit_maxes
    """
    return -dnorm_logits.sum(1, keepdim=True)


def dlogits(dnorm_logits, dlogit_maxes, logits):
    """The gradient with respect to `logits`, of shape (32, 27).

    Where the forward pass reads it:

        logit_maxes = logits.max(1, keepdim=True).values
        norm_logits = logits - logit_maxes
    """
    where_the_maximum_is = F.one_hot(logits.max(1).indices, num_classes=logits.shape[1])
    return dnorm_logits + where_the_maximum_is * dlogit_maxes


def dh(dlogits, W2):
    """The gradient with respect to `h`, of shape (32, 64).

    Where the forward pass reads it:

        logits = h @ W2 + b2
    """
    return (dlogits @ W2.T


def dW2(dlogits, h):
    """The gradient with respect to `W2`, of shape (64, 27).

    Where the forward pass reads it:

        logits = h @ W2 + b2
    """
    return h.T @ dlogits


def db2(dlogits):
    """The gradient with respect to `b2`, of shape (27,).

    Where the forward pass reads it:

        logits = h @ W2 + b2
    """
    return dlogits.sum(0)


def dhpreact(dh, h):
    """The gradient with respect to `hpreact`, of shape (32, 64).

    Where the forward pass reads it:

        h = torch.tanh(hpreact)
    """
    # 1 - h**2 in one fused multiply-add, as autograd's own kernel has it: equal to the last bit
    return torch.addcmul(torch.ones_like(h), h, h, value=-1) * dh


def dbngain(dhpreact, bnraw):
    """The gradient with respect to `bngain`, of shape (1, 64).

    Where the forward pass reads it:

        hpreact = bngain * bnraw + bnbias
    """
    return (bnraw * dhpreact).sum(0, keepdim=True)


def dbnbias(dhpreact):
    """The gradient with respect to `bnbias`, of shape (1, 64).

    Where the forward pass reads it:

        hpreact = bngain * bnraw + bnbias
    """
    return dhpreact.sum(0, keepdim=True)


def dbnraw(dhpreact, bngain):
    """The gradient with respect to `bnraw`, of shape (32, 64).

    Where the forward pass reads it:

        hpreact = bngain * bnraw + bnbias
    """
    return bngain * dhpreact


def dbnvar_inv(dbnraw, bndiff):
    """The gradient with respect to `bnvar_inv`, of shape (1, 64).

    Where the forward pass reads it:

        bnraw = bndiff * bnvar_inv
    """
    return (bndiff * dbnraw).sum(0, keepdim=True)


def dbnvar(dbnvar_inv, bnvar):
    """The gradient with respect to `bnvar`, of shape (1, 64).

    Where the forward pass reads it:

        bnvar_inv = (bnvar + 1e-5) ** -0.5
    """
    return -0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv


def dbndiff2(dbnvar, bndiff2, n):
    """The gradient with respect to `bndiff2`, of shape (32, 64).

    Where the forward pass reads it:

        bnvar = 1 / (n - 1) * bndiff2.sum(0, keepdim=True)
    """
    return torch.ones_like(bndiff2) * (1 / (n - 1) * dbnvar)


def dbndiff(dbnraw, bnvar_inv, dbndiff2, bndiff):
    """The gradient with respect to `bndiff`, of shape (32, 64).

    Where the forward pass reads it:

        bndiff2 = bndiff**2
        bnraw = bndiff * bnvar_inv
    """
    through_bnraw = bnvar_inv * dbnraw
    through_bndiff2 = 2 * bndiff * dbndiff2
    return through_bnraw + through_bndiff2


def dbnmeani(dbndiff):
    """The gradient with respect to `bnmeani`, of shape (1, 64).

    Where the forward pass reads it:

        bndiff = hprebn - bnmeani
    """
    return -dbndiff.sum(0, keepdim=True)


def dhprebn(dbndiff, dbnmeani, n):
    """The gradient with respect to `hprebn`, of shape (32, 64).

    Where the forward pass reads it:

        bnmeani = 1 / n * hprebn.sum(0, keepdim=True)
        bndiff = hprebn - bnmeani
    """
    return dbndiff + 1 / n * dbnmeani


def dembcat(dhprebn, W1):
    """The gradient with respect to `embcat`, of shape (32, 30).

    Where the forward pass reads it:

        hprebn = embcat @ W1 + b1
    """
    return dhprebn @ W1.T


def dW1(dhprebn, embcat):
    """The gradient with respect to `W1`, of shape (30, 64).

    Where the forward pass reads it:

        hprebn = embcat @ W1 + b1
    """
    return embcat.T @ dhprebn


def db1(dhprebn):
    """The gradient with respect to `b1`, of shape (64,).

    Where the forward pass reads it:

        hprebn = embcat @ W1 + b1
    """
    return dhprebn.sum(0)


def demb(dembcat, emb):
    """The gradient with respect to `emb`, of shape (32, 3, 10).

    Where the forward pass reads it:

        embcat = emb.view(emb.shape[0], -1)
    """
    return dembcat.view(emb.shape)


def dC(demb, C, Xb):
    """The gradient with respect to `C`, of shape (27, 10).

    Where the forward pass reads it:

        emb = C[Xb]
    """
    gradient = torch.zeros_like(C)
    for example in range(Xb.shape[0]):
        for place in range(Xb.shape[1]):
            gradient[Xb[example, place]] += demb[example, place]
    return gradient
