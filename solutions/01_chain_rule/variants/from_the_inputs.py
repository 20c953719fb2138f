"""Right, from the inputs alone: outputs are computed afresh, and the network goes from the loss, which is `a.sum()`."""

import numpy as np
import torch


def dp(dadded, p, q):
    return dadded + 0 * p


def dq(dadded, p, q):
    return dadded + 0 * q


def du(dproduct, u, v):
    return (dproduct * u * v) / u


def dv(dproduct, u, v):
    return (dproduct * u * v) / v


def dfork(dtwice, dshifted):
    return dtwice + dtwice + dshifted


def dpositive(dlogarithm, positive):
    return dlogarithm * torch.pow(positive, -1)


def dexponent(dexponential, exponent):
    return dexponential * torch.exp(exponent)


def dbase(dpower, base):
    return -0.5 * torch.pow(base, -1.5) * dpower


def dgrid(dtotal, grid):
    return torch.full_like(grid, dtotal.item())


def dsheet(dcolumn_sums, sheet):
    return torch.stack([dcolumn_sums] * len(sheet))


def dledger(drow_sums, ledger):
    return torch.cat([drow_sums] * ledger.shape[1], dim=1)


def dmarks(drow_means, marks):
    return torch.stack([drow_means / marks.shape[1]] * marks.shape[1], dim=1)


def dtile(dtiled):
    return sum(dtiled)


def dcolumn(dscaled, matrix, column):
    return (dscaled * matrix).sum(1).view(column.shape)


def drating(dhighest, rating):
    highest, _ = torch.max(rating, 1, keepdim=True)
    return torch.where(rating == highest, dhighest, torch.zeros_like(rating))


def dembedding(dlooked_up, embedding, tokens):
    gradient = np.zeros(tuple(embedding.shape), dtype=dlooked_up.numpy().dtype)
    np.add.at(gradient, tokens.numpy(), dlooked_up.numpy())
    return torch.from_numpy(gradient)


def dleft(dmatmul, right):
    return (right @ dmatmul.T).T


def dright(dmatmul, left):
    return (dmatmul.T @ left).T


def dz(da, x, W, b):
    return da * (1 - torch.tanh(x @ W + b) ** 2)


def dW(da, x, W, b):
    return x.T @ (da * (1 - torch.tanh(x @ W + b) ** 2))


def db(da, a):
    return (da * (1 - a**2)).sum(0)


def dx(da, x, W, b):
    return (da * (1 - torch.tanh(x @ W + b) ** 2)) @ W.T


def through_add(a, b, dy):
    return np.array([dy, dy])


def through_multiply(a, b, dy):
    return torch.tensor([b * dy, a * dy])


def nonzero_places(labels, classes):
    dlogprobs = torch.zeros(len(labels), classes)
    dlogprobs[torch.arange(len(labels)), labels] = -1 / len(labels)
    return dlogprobs != 0


def closed_share(h, threshold):
    return float(((h > threshold) | (h < -threshold)).float().mean())


def mean_gate(h):
    return float(np.mean(1 - h.numpy() ** 2))


def push_and_pull(logits, labels):
    probs = torch.exp(torch.log_softmax(logits, 1))
    return [probs, torch.nn.functional.one_hot(labels, logits.shape[1]).double()]


def accumulation_factor(tokens, token):
    return len(tokens[tokens == token])


def backward(x, W, b, a, z):
    dz = torch.cosh(x @ W + b) ** -2
    return (x.T @ dz, dz.sum(0), dz @ W.T)
