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
    # <answer>
    gradient = torch.zeros_like(logprobs)
    gradient[range(n), Yb] = -1.0 / n
    return gradient
    # </answer>


def dprobs(dlogprobs, probs):
    # <answer>
    return dlogprobs / probs
    # </answer>


def dcounts_sum_inv(dprobs, counts):
    # <answer>
    return (counts * dprobs).sum(1, keepdim=True)
    # </answer>


def dcounts_sum(dcounts_sum_inv, counts_sum):
    # <answer>
    return -(counts_sum**-2) * dcounts_sum_inv
    # </answer>


def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    # <answer>
    through_probs = counts_sum_inv * dprobs
    through_the_sum = dcounts_sum  # (n, 1): the addition copies it along the row
    return through_probs + through_the_sum
    # </answer>


def dnorm_logits(dcounts, counts):
    # <answer>
    return counts * dcounts
    # </answer>


def dlogit_maxes(dnorm_logits):
    # <answer>
    return -dnorm_logits.sum(1, keepdim=True)
    # </answer>


def dlogits(dnorm_logits, dlogit_maxes, logits):
    # <answer>
    where_the_maximum_is = F.one_hot(logits.max(1).indices, num_classes=logits.shape[1])
    return dnorm_logits + where_the_maximum_is * dlogit_maxes
    # </answer>


def dh(dlogits, W2):
    # <answer>
    return dlogits @ W2.T
    # </answer>


def dW2(dlogits, h):
    # <answer>
    return h.T @ dlogits
    # </answer>


def db2(dlogits):
    # <answer>
    return dlogits.sum(0)
    # </answer>


def dhpreact(dh, h):
    # <answer>
    # 1 - h**2 in one fused multiply-add, as autograd's own kernel has it: equal to the last bit
    return torch.addcmul(torch.ones_like(h), h, h, value=-1) * dh
    # </answer>


def dbngain(dhpreact, bnraw):
    # <answer>
    return (bnraw * dhpreact).sum(0, keepdim=True)
    # </answer>


def dbnbias(dhpreact):
    # <answer>
    return dhpreact.sum(0, keepdim=True)
    # </answer>


def dbnraw(dhpreact, bngain):
    # <answer>
    return bngain * dhpreact
    # </answer>


def dbnvar_inv(dbnraw, bndiff):
    # <answer>
    return (bndiff * dbnraw).sum(0, keepdim=True)
    # </answer>


def dbnvar(dbnvar_inv, bnvar):
    # <answer>
    return -0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv
    # </answer>


def dbndiff2(dbnvar, bndiff2, n):
    # <answer>
    return torch.ones_like(bndiff2) * (1 / (n - 1) * dbnvar)
    # </answer>


def dbndiff(dbnraw, bnvar_inv, dbndiff2, bndiff):
    # <answer>
    through_bnraw = bnvar_inv * dbnraw
    through_bndiff2 = 2 * bndiff * dbndiff2
    return through_bnraw + through_bndiff2
    # </answer>


def dbnmeani(dbndiff):
    # <answer>
    return -dbndiff.sum(0, keepdim=True)
    # </answer>


def dhprebn(dbndiff, dbnmeani, n):
    # <answer>
    return dbndiff + 1 / n * dbnmeani
    # </answer>


def dembcat(dhprebn, W1):
    # <answer>
    return dhprebn @ W1.T
    # </answer>


def dW1(dhprebn, embcat):
    # <answer>
    return embcat.T @ dhprebn
    # </answer>


def db1(dhprebn):
    # <answer>
    return dhprebn.sum(0)
    # </answer>


def demb(dembcat, emb):
    # <answer>
    return dembcat.view(emb.shape)
    # </answer>


def dC(demb, C, Xb):
    # <answer>
    gradient = torch.zeros_like(C)
    for example in range(Xb.shape[0]):
        for place in range(Xb.shape[1]):
            gradient[Xb[example, place]] += demb[example, place]
    return gradient
    # </answer>
