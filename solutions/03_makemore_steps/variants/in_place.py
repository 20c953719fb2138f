"""Out of buffers of one's own, filled in place: scatter_, index_add_, addcmul_ and friends."""

import torch


def dlogprobs(logprobs, Yb, n):
    gradient = torch.zeros_like(logprobs)
    gradient.scatter_(1, Yb.unsqueeze(1), -1 / n)
    return gradient


def dprobs(dlogprobs, probs):
    gradient = probs.clone().reciprocal_()
    return gradient.mul_(dlogprobs)


def dcounts_sum_inv(dprobs, counts):
    products = dprobs.clone()
    products *= counts
    return products.sum(dim=-1, keepdim=True)


def dcounts_sum(dcounts_sum_inv, counts_sum):
    gradient = dcounts_sum_inv.clone().neg_()
    gradient /= counts_sum
    gradient /= counts_sum
    return gradient


def dcounts(dprobs, counts_sum_inv, dcounts_sum, counts):
    gradient = torch.zeros_like(counts)
    gradient += dcounts_sum
    gradient.addcmul_(dprobs, counts_sum_inv)
    return gradient


def dnorm_logits(dcounts, norm_logits):
    return norm_logits.clone().exp_().mul_(dcounts)


def dlogit_maxes(dnorm_logits, logit_maxes):
    gradient = torch.zeros_like(logit_maxes)
    for column in dnorm_logits.split(1, dim=1):
        gradient -= column
    return gradient


def dlogits(dnorm_logits, dlogit_maxes, logits):
    where = logits.max(1, keepdim=True).indices
    gradient = dnorm_logits.clone()
    gradient.scatter_add_(1, where, dlogit_maxes)
    return gradient


def dh(dlogits, W2, h):
    gradient = torch.empty_like(h)
    torch.mm(dlogits, W2.t(), out=gradient)
    return gradient


def dW2(dlogits, h, W2):
    return torch.zeros_like(W2).addmm_(h.t(), dlogits)


def db2(dlogits, b2):
    gradient = torch.zeros_like(b2)
    for row in dlogits.unbind(0):
        gradient.add_(row)
    return gradient


def dhpreact(dh, h):
    gradient = h.clone()
    gradient.pow_(2).neg_().add_(1)
    gradient *= dh
    return gradient


def dbngain(dhpreact, bnraw, bngain):
    gradient = torch.zeros_like(bngain)
    gradient += (dhpreact * bnraw).sum(0)
    return gradient


def dbnbias(dhpreact, bnbias):
    return torch.zeros_like(bnbias).copy_(dhpreact.sum(0))


def dbnraw(dhpreact, bngain):
    gradient = dhpreact.clone()
    gradient *= bngain
    return gradient


def dbnvar_inv(dbnraw, bndiff):
    gradient = bndiff.clone()
    gradient *= dbnraw
    return gradient.sum(0)[None]


def dbnvar(dbnvar_inv, bnvar):
    gradient = bnvar.clone().add_(1e-5)
    gradient.pow_(-1.5).mul_(-0.5)
    gradient.mul_(dbnvar_inv)
    return gradient


def dbndiff2(dbnvar, bndiff2, n):
    gradient = torch.zeros_like(bndiff2)
    gradient[:] = dbnvar
    gradient /= n - 1
    return gradient


def dbndiff(dbnraw, bnvar_inv, dbndiff2, bndiff):
    gradient = dbnraw.clone()
    gradient.mul_(bnvar_inv)
    gradient.addcmul_(bndiff, dbndiff2, value=2)
    return gradient


def dbnmeani(dbndiff):
    total = dbndiff.sum(0, keepdim=True)
    return total.neg_()


def dhprebn(dbndiff, dbnmeani, n):
    return dbndiff.clone().add_(dbnmeani, alpha=1 / n)


def dembcat(dhprebn, W1, embcat):
    gradient = torch.zeros_like(embcat)
    gradient += dhprebn.matmul(W1.transpose(0, 1))
    return gradient


def dW1(dhprebn, embcat, W1):
    return torch.zeros_like(W1).addmm_(embcat.t(), dhprebn)


def db1(dhprebn, b1):
    gradient = torch.zeros_like(b1)
    gradient.index_add_(0, torch.arange(len(b1)), dhprebn.sum(0))
    return gradient


def demb(dembcat, emb):
    gradient = torch.empty_like(emb)
    gradient.view(len(emb), -1).copy_(dembcat)
    return gradient


def dC(demb, C, Xb):
    gradient = torch.zeros_like(C)
    gradient.index_add_(0, Xb.flatten(), demb.flatten(0, 1))
    return gradient
