"""In the manner of the lecture's notebook: clones, ones_like, += on tensors of one's own, loops for the embedding."""

import torch
import torch.nn.functional as F


def dlogprobs(logprobs, Yb, n):
    dlogprobs = torch.zeros_like(logprobs)
    dlogprobs[range(n), Yb] = -1.0 / n
    return dlogprobs


def dprobs(probs, dlogprobs):
    return (1.0 / probs) * dlogprobs


def dcounts_sum_inv(counts, dprobs):
    return (counts * dprobs).sum(1, keepdims=True)


def dcounts_sum(counts_sum, dcounts_sum_inv):
    return -1 * (counts_sum**-2) * dcounts_sum_inv


def dcounts(counts_sum_inv, dprobs, counts, dcounts_sum):
    dcounts = counts_sum_inv * dprobs
    dcounts += torch.ones_like(counts) * dcounts_sum
    return dcounts


def dnorm_logits(counts, dcounts):
    return counts * dcounts


def dlogit_maxes(dnorm_logits):
    return (-dnorm_logits).sum(1, keepdim=True)


def dlogits(dnorm_logits, logits, dlogit_maxes):
    dlogits = dnorm_logits.clone()
    dlogits += F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * dlogit_maxes
    return dlogits


def dh(dlogits, W2):
    return dlogits @ W2.T


def dW2(h, dlogits):
    return h.T @ dlogits


def db2(dlogits):
    return dlogits.sum(0)


def dhpreact(h, dh):
    return (1.0 - h**2) * dh


def dbngain(bnraw, dhpreact):
    return (bnraw * dhpreact).sum(0, keepdim=True)


def dbnbias(dhpreact):
    return dhpreact.sum(0, keepdim=True)


def dbnraw(bngain, dhpreact):
    return bngain * dhpreact


def dbnvar_inv(bndiff, dbnraw):
    return (bndiff * dbnraw).sum(0, keepdim=True)


def dbnvar(bnvar, dbnvar_inv):
    return (-0.5 * (bnvar + 1e-5) ** -1.5) * dbnvar_inv


def dbndiff2(bndiff2, dbnvar, n):
    return (1.0 / (n - 1)) * torch.ones_like(bndiff2) * dbnvar


def dbndiff(bnvar_inv, dbnraw, bndiff, dbndiff2):
    dbndiff = bnvar_inv * dbnraw
    dbndiff += (2 * bndiff) * dbndiff2
    return dbndiff


def dbnmeani(dbndiff):
    return (-dbndiff).sum(0, keepdim=True)


def dhprebn(dbndiff, hprebn, dbnmeani, n):
    dhprebn = dbndiff.clone()
    dhprebn += 1.0 / n * (torch.ones_like(hprebn) * dbnmeani)
    return dhprebn


def dembcat(dhprebn, W1):
    return dhprebn @ W1.T


def dW1(embcat, dhprebn):
    return embcat.T @ dhprebn


def db1(dhprebn):
    return dhprebn.sum(0)


def demb(dembcat, emb):
    return dembcat.view(emb.shape)


def dC(C, Xb, demb):
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            ix = Xb[k, j]
            dC[ix] += demb[k, j]
    return dC
