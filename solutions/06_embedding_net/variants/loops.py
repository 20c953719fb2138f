"""Right, with loops: one number at a time where it goes, added up where it is used more than once."""

import math

import torch


def backward(Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, xhat, var, h, logits):
    gradients = {
        "dC": torch.zeros_like(C),
        "dW": torch.zeros_like(W),
        "db": torch.zeros_like(b),
        "dgamma": torch.zeros_like(gamma),
        "dbeta": torch.zeros_like(beta),
        "dW2": torch.zeros_like(W2),
        "db2": torch.zeros_like(b2),
        "demb": torch.zeros_like(emb),
    }
    dout = torch.zeros_like(h)
    for i in range(n):
        row = logits[i].tolist()
        exponentials = [math.exp(value - max(row)) for value in row]
        dlogits = torch.tensor([e / sum(exponentials) for e in exponentials], dtype=h.dtype)
        dlogits[Yb[i]] -= 1
        dlogits /= n
        gradients["dW2"] += torch.outer(h[i], dlogits)
        gradients["db2"] += dlogits
        dout[i] = (W2 @ dlogits) * (1 - h[i] ** 2)
        gradients["dgamma"] += dout[i] * xhat[i]
        gradients["dbeta"] += dout[i]
    dx = torch.zeros_like(h)
    for k in range(h.shape[1]):
        scale = float(gamma[k]) / math.sqrt(float(var[k]) + eps)
        column, z = dout[:, k], xhat[:, k]
        mean, along = column.mean(), (column * z).mean()
        for i in range(n):
            dx[i, k] = scale * (column[i] - mean - z[i] * along)
    for i in range(n):
        gradients["dW"] += torch.outer(embcat[i], dx[i])
        gradients["db"] += dx[i]
        pieces = (W @ dx[i]).split(C.shape[1])
        for place, piece in enumerate(pieces):
            gradients["demb"][i, place] = piece
            gradients["dC"][Xb[i, place]] += piece
    return gradients


def cmp(mine, reference):
    if mine.shape != reference.shape:
        return False, False, math.inf
    exact, approximate, maxdiff = True, True, 0.0
    for a, b in zip(mine.flatten().tolist(), reference.flatten().tolist(), strict=True):
        exact = exact and a == b
        approximate = approximate and (a == b or abs(a - b) <= 1e-8 + 1e-5 * abs(b))
        maxdiff = max(maxdiff, abs(a - b))
    return exact, approximate, maxdiff


def compare_all(gradients, references, atol=1e-5):
    matches = {}
    for name in references:
        mine, matches[name] = gradients.get(name), True
        if mine is None or list(mine.shape) != list(references[name].shape):
            matches[name] = False
            continue
        for a, b in zip(mine.flatten().tolist(), references[name].flatten().tolist(), strict=True):
            if not abs(a - b) <= atol + 1e-5 * abs(b):
                matches[name] = False
    return all(matches[name] for name in matches), matches
