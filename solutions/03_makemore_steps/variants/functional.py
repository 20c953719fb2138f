"""By torch's functions rather than operators, with small helpers for what comes up more than once."""

import torch


def back_through_broadcast(gradient, axis):
    """A copy along `axis` forward is a sum along it backward; the dimension stays."""
    return torch.sum(gradient, dim=axis, keepdim=True)


def back_through_matmul(upstream, left=None, right=None):
    """The gradient of the factor that is not given, for upstream = d(left @ right)."""
    if left is None:
        return torch.matmul(upstream, torch.transpose(right, 0, 1))
    return torch.matmul(torch.transpose(left, 0, 1), upstream)


def dlogprobs(logprobs, Yb, n):
    rows = torch.arange(n)
    return torch.zeros_like(logprobs).index_put((rows, Yb), torch.tensor(-1.0 / n))


def dprobs(dlogprobs, probs):
    return torch.div(dlogprobs, probs)


def dcounts_sum_inv(dprobs, counts):
    return back_through_broadcast(torch.mul(counts, dprobs), 1)


def dcounts_sum(dcounts_sum_inv, counts_sum):
    return torch.neg(torch.div(dcounts_sum_inv, torch.square(counts_sum)))


def dcounts(dprobs, counts_sum_inv, dcounts_sum):
    return torch.addcmul(dcounts_sum, counts_sum_inv, dprobs)


def dnorm_logits(dcounts, counts):
    return torch.mul(counts, dcounts)


def dlogit_maxes(dnorm_logits):
    return back_through_broadcast(torch.neg(dnorm_logits), 1)


def dlogits(dnorm_logits, dlogit_maxes, logits):
    rows = torch.arange(logits.shape[0])
    return torch.index_put(dnorm_logits, (rows, torch.argmax(logits, 1)), dlogit_maxes[:, 0], accumulate=True)


def dh(dlogits, W2):
    return back_through_matmul(dlogits, right=W2)


def dW2(dlogits, h):
    return back_through_matmul(dlogits, left=h)


def db2(dlogits):
    return torch.squeeze(back_through_broadcast(dlogits, 0), 0)


def dhpreact(dh, hpreact):
    return torch.div(dh, torch.square(torch.cosh(hpreact)))


def dbngain(dhpreact, bnraw):
    return back_through_broadcast(torch.mul(dhpreact, bnraw), 0)


def dbnbias(dhpreact):
    return back_through_broadcast(dhpreact, 0)


def dbnraw(dhpreact, bngain):
    return torch.mul(dhpreact, bngain)


def dbnvar_inv(dbnraw, bndiff):
    return back_through_broadcast(torch.mul(dbnraw, bndiff), 0)


def dbnvar(dbnvar_inv, bnvar_inv):
    return torch.mul(dbnvar_inv, torch.mul(torch.pow(bnvar_inv, 3), -0.5))


def dbndiff2(dbnvar, n):
    return torch.cat([torch.div(dbnvar, n - 1)] * n, dim=0)


def dbndiff(dbnraw, bnvar_inv, dbndiff2, bndiff):
    return torch.add(torch.mul(dbnraw, bnvar_inv), torch.mul(bndiff, dbndiff2), alpha=2)


def dbnmeani(dbndiff):
    return back_through_broadcast(torch.neg(dbndiff), 0)


def dhprebn(dbndiff, dbnmeani, n):
    return torch.add(dbndiff, torch.div(dbnmeani, n).repeat(n, 1))


def dembcat(dhprebn, W1):
    return back_through_matmul(dhprebn, right=W1)


def dW1(dhprebn, embcat):
    return back_through_matmul(dhprebn, left=embcat)


def db1(dhprebn):
    return torch.squeeze(back_through_broadcast(dhprebn, 0), 0)


def demb(dembcat, Xb):
    return torch.unflatten(dembcat, 1, (Xb.shape[1], -1))


def dC(demb, C, Xb):
    where = Xb.reshape(-1, 1).expand(-1, C.shape[1])
    return torch.zeros_like(C).scatter_add(0, where, demb.reshape(-1, C.shape[1]))
