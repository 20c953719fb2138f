"""The same derivatives written in other terms: in the step's output instead of its input, as a mean times a count."""

import torch


def one_hot_rows(index, width):
    return torch.eye(width)[index]


def dlogprobs(Yb, n, logprobs):
    return one_hot_rows(Yb, logprobs.size(1)) * (-1 / n)


def dprobs(dlogprobs, logprobs):
    return dlogprobs * torch.exp(-logprobs)


def dcounts_sum_inv(dprobs, probs, counts_sum):
    return (probs * counts_sum * dprobs).mean(1, keepdim=True) * probs.size(1)


def dcounts_sum(dcounts_sum_inv, counts_sum_inv):
    return -dcounts_sum_inv * counts_sum_inv.square()


def dcounts(dprobs, counts_sum, dcounts_sum):
    return (dprobs + dcounts_sum * counts_sum) / counts_sum


def dnorm_logits(dcounts, norm_logits):
    return torch.exp(norm_logits) * dcounts


def dlogit_maxes(dnorm_logits):
    width = dnorm_logits.size(1)
    return -width * dnorm_logits.mean(dim=1, keepdim=True)


def dlogits(dnorm_logits, dlogit_maxes, logits, logit_maxes):
    return torch.where(logits == logit_maxes, dnorm_logits + dlogit_maxes, dnorm_logits)


def dh(dlogits, W2):
    return (W2 @ dlogits.T).T


def dW2(dlogits, h):
    return (dlogits.T @ h).T


def db2(dlogits, n):
    return dlogits.mean(0) * n


def dhpreact(dh, h):
    return (1 - h) * (1 + h) * dh


def dbngain(dhpreact, bnraw, n):
    return n * (dhpreact * bnraw).mean(0, keepdim=True)


def dbnbias(dhpreact, n):
    return torch.ones(1, n) @ dhpreact


def dbnraw(dhpreact, bngain):
    return dhpreact @ torch.diag(bngain.squeeze(0))


def dbnvar_inv(dbnraw, bndiff):
    return torch.diagonal(bndiff.T @ dbnraw).unsqueeze(0)


def dbnvar(dbnvar_inv, bnvar):
    variance = bnvar + 1e-5
    return -dbnvar_inv / (2 * variance * variance.sqrt())


def dbndiff2(dbnvar, bndiff2, n):
    return (dbnvar / (n - 1)).expand_as(bndiff2)


def dbndiff(dbnraw, bnvar, dbndiff2, bndiff):
    return dbnraw * torch.rsqrt(bnvar + 1e-5) + (bndiff + bndiff) * dbndiff2


def dbnmeani(dbndiff, n):
    return -n * dbndiff.mean(0, keepdim=True)


def dhprebn(dbndiff, dbnmeani, n):
    return (n * dbndiff + dbnmeani) / n


def dembcat(dhprebn, W1):
    return (W1 @ dhprebn.T).T


def dW1(dhprebn, embcat):
    return (dhprebn.T @ embcat).T


def db1(dhprebn, n):
    return torch.ones(n) @ dhprebn


def demb(dembcat, n, Xb):
    return dembcat.view(n, Xb.shape[1], -1)


def dC(demb, C, Xb):
    lookups = one_hot_rows(Xb.reshape(-1), C.size(0))
    return lookups.T @ demb.reshape(-1, C.size(1))
