"""Right, with views: every copy is an `expand`, every sum names its dimension, picking is done by index_add."""

import torch
import torch.nn.functional as F


def dp(dadded):
    return dadded


def dq(dadded):
    return 1.0 * dadded


def du(dproduct, v):
    return torch.mul(v, dproduct)


def dv(dproduct, u):
    return torch.mul(u, dproduct)


def dfork(dtwice, dshifted):
    return torch.add(dshifted, dtwice, alpha=2)


def dpositive(dlogarithm, positive):
    return dlogarithm * positive.reciprocal()


def dexponent(dexponential, exponent):
    return exponent.exp() * dexponential


def dbase(dpower, base):
    return -dpower / (2 * base * torch.sqrt(base))


def dgrid(dtotal, grid):
    return dtotal.expand_as(grid)


def dsheet(dcolumn_sums, sheet):
    return dcolumn_sums.unsqueeze(0).expand(sheet.shape)


def dledger(drow_sums, ledger):
    return drow_sums.expand(-1, ledger.size(1))


def dmarks(drow_means, marks):
    return drow_means.div(marks.size(1)).view(-1, 1).expand_as(marks)


def dtile(dtiled):
    return torch.sum(dtiled, dim=0)


def dcolumn(dscaled, matrix):
    return torch.sum(dscaled * matrix, dim=-1, keepdim=True)


def drating(dhighest, rating):
    places = rating.argmax(dim=1, keepdim=True)
    return torch.zeros_like(rating).scatter(1, places, dhighest)


def dembedding(dlooked_up, embedding, tokens):
    return torch.zeros_like(embedding).index_add(0, tokens, dlooked_up)


def dleft(dmatmul, right):
    return torch.matmul(dmatmul, right.transpose(0, 1))


def dright(dmatmul, left):
    return torch.matmul(left.mT, dmatmul)


def dz(da, a):
    return da - da * a.square()


def dW(dz, x):
    return x.t().mm(dz)


def db(dz):
    return dz.sum(dim=0)


def dx(dz, W):
    return dz.mm(W.t())


def through_add(a, b, dy):
    return [1.0 * dy, 1.0 * dy]


def through_multiply(a, b, dy):
    return [b * dy, a * dy]


def nonzero_places(labels, classes):
    return F.one_hot(labels, classes).bool()


def closed_share(h, threshold):
    closed = torch.abs(h) > threshold
    return closed.sum() / closed.numel()


def mean_gate(h):
    return torch.mean(1 - h * h)


def push_and_pull(logits, labels):
    probs = logits.softmax(-1)
    return probs, torch.zeros_like(probs).scatter_(1, labels.unsqueeze(1), 1.0)


def accumulation_factor(tokens, token):
    return int(torch.count_nonzero(tokens == token))


def backward(x, W, b, a, z):
    slopes = torch.ones_like(a) - a * a
    return {"dx": slopes.mm(W.t()), "db": slopes.sum(dim=0), "dW": x.t().mm(slopes)}
