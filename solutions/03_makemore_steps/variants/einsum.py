"""Every sum and product by torch.einsum: which letters are missing on the right is what is summed."""

import torch
from torch import einsum
from torch.nn.functional import one_hot


def dlogprobs(logprobs, Yb, n):
    return -one_hot(Yb, logprobs.shape[1]).to(logprobs.dtype) / n


def dprobs(dlogprobs, probs):
    return einsum("ij,ij->ij", dlogprobs, 1 / probs)


def dcounts_sum_inv(dprobs, counts):
    return einsum("ij,ij->i", dprobs, counts)[:, None]


def dcounts_sum(dcounts_sum_inv, counts_sum):
    return einsum("ik,ik,ik->ik", -dcounts_sum_inv, 1 / counts_sum, 1 / counts_sum)


def dcounts(dprobs, counts_sum_inv, dcounts_sum, counts):
    everywhere = torch.ones_like(counts)
    return einsum("ij,ik->ij", dprobs, counts_sum_inv) + einsum("ij,ik->ij", everywhere, dcounts_sum)


def dnorm_logits(dcounts, counts):
    return einsum("ij,ij->ij", dcounts, counts)


def dlogit_maxes(dnorm_logits):
    return -einsum("ij->i", dnorm_logits).reshape(-1, 1)


def dlogits(dnorm_logits, dlogit_maxes, logits):
    winner = one_hot(logits.argmax(dim=1), logits.shape[1]).to(logits.dtype)
    return dnorm_logits + einsum("ij,ik->ij", winner, dlogit_maxes)


def dh(dlogits, W2):
    return einsum("nv,hv->nh", dlogits, W2)


def dW2(dlogits, h):
    return einsum("nh,nv->hv", h, dlogits)


def db2(dlogits):
    return einsum("nv->v", dlogits)


def dhpreact(dh, h):
    return dh - einsum("nh,nh,nh->nh", h, h, dh)


def dbngain(dhpreact, bnraw):
    return einsum("nh,nh->h", dhpreact, bnraw).unsqueeze(0)


def dbnbias(dhpreact):
    return einsum("nh->h", dhpreact).unsqueeze(0)


def dbnraw(dhpreact, bngain):
    return einsum("nh,kh->nh", dhpreact, bngain)


def dbnvar_inv(dbnraw, bndiff):
    return einsum("nh,nh->h", dbnraw, bndiff).unsqueeze(0)


def dbnvar(dbnvar_inv, bnvar_inv):
    return einsum("kh,kh,kh,kh->kh", bnvar_inv, bnvar_inv, bnvar_inv, dbnvar_inv) / -2


def dbndiff2(dbnvar, n):
    return einsum("n,kh->nh", torch.full((n,), 1 / (n - 1)), dbnvar)


def dbndiff(dbnraw, bnvar_inv, dbndiff2, bndiff):
    return einsum("nh,kh->nh", dbnraw, bnvar_inv) + 2 * einsum("nh,nh->nh", bndiff, dbndiff2)


def dbnmeani(dbndiff):
    return einsum("nh->h", -dbndiff).unsqueeze(0)


def dhprebn(dbndiff, dbnmeani, n):
    return dbndiff + einsum("n,kh->nh", torch.full((n,), 1 / n), dbnmeani)


def dembcat(dhprebn, W1):
    return einsum("nh,fh->nf", dhprebn, W1)


def dW1(dhprebn, embcat):
    return einsum("nf,nh->fh", embcat, dhprebn)


def db1(dhprebn):
    return einsum("nh->h", dhprebn)


def demb(dembcat, emb):
    return dembcat.reshape(*emb.shape)


def dC(demb, C, Xb):
    return einsum("nbt,nbe->te", one_hot(Xb, C.shape[0]).to(C.dtype), demb)
