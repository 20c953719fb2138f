"""Right, in plain Python: one number at a time, so that nothing is broadcast and nothing hidden."""

import math

import torch


def each(like, number):
    """A tensor of `like`'s shape whose element i, j is number(i, j)."""
    rows, columns = like.shape
    return torch.tensor([[float(number(i, j)) for j in range(columns)] for i in range(rows)], dtype=like.dtype)


def dp(dadded):
    return each(dadded, lambda i, j: dadded[i, j])


def dq(dadded):
    return each(dadded, lambda i, j: dadded[i, j])


def du(dproduct, u, v):
    return each(u, lambda i, j: dproduct[i, j] * v[i, j])


def dv(dproduct, u, v):
    return each(v, lambda i, j: dproduct[i, j] * u[i, j])


def dfork(dtwice, dshifted, fork):
    return each(fork, lambda i, j: dtwice[i, j] * 2 + dshifted[i, j])


def dpositive(dlogarithm, positive):
    return each(positive, lambda i, j: dlogarithm[i, j] / positive[i, j])


def dexponent(dexponential, exponent):
    return each(exponent, lambda i, j: dexponential[i, j] * math.exp(exponent[i, j]))


def dbase(dpower, base):
    return each(base, lambda i, j: -0.5 * float(dpower[i, j]) * float(base[i, j]) ** -1.5)


def dgrid(dtotal, grid):
    return each(grid, lambda i, j: dtotal)


def dsheet(dcolumn_sums, sheet):
    return each(sheet, lambda i, j: dcolumn_sums[j])


def dledger(drow_sums, ledger):
    return each(ledger, lambda i, j: drow_sums[i, 0])


def dmarks(drow_means, marks, columns):
    return each(marks, lambda i, j: drow_means[i] / columns)


def dtile(dtiled, tile):
    gradient = torch.zeros_like(tile)
    for row in dtiled:
        gradient += row
    return gradient


def dcolumn(dscaled, matrix, column, columns):
    return each(column, lambda i, _: sum(dscaled[i, j] * matrix[i, j] for j in range(columns)))


def drating(dhighest, rating):
    gradient = torch.zeros_like(rating)
    for i, row in enumerate(rating.tolist()):
        gradient[i, row.index(max(row))] = dhighest[i, 0]
    return gradient


def dembedding(dlooked_up, embedding, tokens):
    gradient = [[0.0] * embedding.shape[1] for _ in embedding]
    for token, row in zip(tokens.tolist(), dlooked_up.tolist(), strict=True):
        gradient[token] = [old + new for old, new in zip(gradient[token], row, strict=True)]
    return torch.tensor(gradient, dtype=embedding.dtype)


def dleft(dmatmul, left, right, columns):
    return each(left, lambda i, k: sum(dmatmul[i, j] * right[k, j] for j in range(columns)))


def dright(dmatmul, left, right, rows):
    return each(right, lambda k, j: sum(left[i, k] * dmatmul[i, j] for i in range(rows)))


def dz(da, z):
    return each(z, lambda i, j: da[i, j] / math.cosh(z[i, j]) ** 2)


def dW(dz, x, W, rows):
    return each(W, lambda k, j: sum(x[i, k] * dz[i, j] for i in range(rows)))


def db(dz, columns):
    return torch.stack([dz[:, j].sum() for j in range(columns)])


def dx(dz, x, W):
    return each(x, lambda i, k: torch.dot(dz[i], W[k]))


def through_add(a, b, dy):
    da = dy * 1
    db = dy * 1
    return da, db


def through_multiply(a, b, dy):
    da = dy * b
    db = dy * a
    return da, db


def nonzero_places(labels, classes):
    return torch.tensor([[j == label for j in range(classes)] for label in labels.tolist()])


def closed_share(h, threshold):
    numbers = h.flatten().tolist()
    return sum(1 for number in numbers if number > threshold or number < -threshold) / len(numbers)


def mean_gate(h):
    total = 0.0
    for number in h.flatten().tolist():
        total += 1 - number**2
    return total / h.numel()


def push_and_pull(logits, labels):
    push, pull = torch.zeros_like(logits), torch.zeros_like(logits)
    for i, row in enumerate(logits.tolist()):
        total = sum(math.exp(number) for number in row)
        for j, number in enumerate(row):
            push[i, j] = math.exp(number) / total
        pull[i, labels[i]] = 1
    return push, pull


def accumulation_factor(tokens, token):
    count = 0
    for context in tokens.tolist():
        count += context.count(token)
    return count


def backward(x, W, b, a, z):
    dW, db, dx = torch.zeros_like(W), torch.zeros_like(b), torch.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(W.shape[1]):
            slope = 1 - torch.tanh(z[i, j]) ** 2
            db[j] += slope
            dW[:, j] += slope * x[i]
            dx[i] += slope * W[:, j]
    return dW, db, dx
