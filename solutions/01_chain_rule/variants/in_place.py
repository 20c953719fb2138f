"""Right, in place, but only on tensors of its own: clones, zeros filled by index, running sums."""

import torch


def dp(dadded):
    gradient = torch.empty_like(dadded)
    gradient.copy_(dadded)
    return gradient


def dq(dadded):
    gradient = torch.zeros_like(dadded)
    gradient += dadded
    return gradient


def du(dproduct, v):
    gradient = dproduct.clone()
    gradient *= v
    return gradient


def dv(dproduct, u):
    return dproduct.clone().mul_(u)


def dfork(dtwice, dshifted):
    gradient = dtwice.clone()
    gradient *= 2
    gradient += dshifted
    return gradient


def dpositive(dlogarithm, positive):
    gradient = dlogarithm.clone()
    gradient /= positive
    return gradient


def dexponent(dexponential, exponential):
    gradient = exponential.clone()
    gradient *= dexponential
    return gradient


def dbase(dpower, base, power):
    gradient = power / base
    gradient *= dpower
    gradient *= -0.5
    return gradient


def dgrid(dtotal, grid):
    gradient = torch.zeros_like(grid)
    gradient += dtotal
    return gradient


def dsheet(dcolumn_sums, sheet):
    gradient = torch.empty_like(sheet)
    gradient[:] = dcolumn_sums
    return gradient


def dledger(drow_sums, ledger):
    gradient = torch.empty_like(ledger)
    gradient[:] = drow_sums
    return gradient


def dmarks(drow_means, marks):
    gradient = torch.zeros_like(marks)
    for j in range(marks.shape[1]):
        gradient[:, j] += drow_means
    gradient /= marks.shape[1]
    return gradient


def dtile(dtiled):
    gradient = dtiled[0].clone()
    for row in dtiled[1:]:
        gradient += row
    return gradient


def dcolumn(dscaled, matrix, column):
    gradient = torch.zeros_like(column)
    for j in range(matrix.shape[1]):
        gradient[:, 0] += dscaled[:, j] * matrix[:, j]
    return gradient


def drating(dhighest, rating):
    gradient = torch.zeros_like(rating)
    gradient[torch.arange(len(rating)), rating.max(1).indices] = dhighest.squeeze(1)
    return gradient


def dembedding(dlooked_up, embedding, tokens):
    gradient = torch.zeros_like(embedding)
    gradient.index_put_((tokens,), dlooked_up, accumulate=True)
    return gradient


def dleft(dmatmul, left, right):
    gradient = torch.zeros_like(left)
    for j in range(right.shape[1]):
        gradient += torch.outer(dmatmul[:, j], right[:, j])
    return gradient


def dright(dmatmul, left, right):
    gradient = torch.zeros_like(right)
    for i in range(len(left)):
        gradient += torch.outer(left[i], dmatmul[i])
    return gradient


def dz(da, a):
    gradient = a.clone()
    gradient.pow_(2).neg_().add_(1)
    gradient *= da
    return gradient


def dW(dz, x, W):
    gradient = torch.zeros_like(W)
    for i in range(len(x)):
        gradient += x[i].unsqueeze(1) * dz[i]
    return gradient


def db(dz, b):
    gradient = torch.zeros_like(b)
    for row in dz:
        gradient += row
    return gradient


def dx(dz, x, W):
    gradient = torch.empty_like(x)
    for i in range(len(x)):
        gradient[i] = W @ dz[i]
    return gradient


def through_add(a, b, dy):
    gradients = [0, 0]
    gradients[0] += dy
    gradients[1] += dy
    return gradients


def through_multiply(a, b, dy):
    gradients = [dy, dy]
    gradients[0] *= b
    gradients[1] *= a
    return gradients


def nonzero_places(labels, classes):
    places = torch.zeros((len(labels), classes), dtype=torch.bool)
    places.scatter_(1, labels.view(-1, 1), True)
    return places


def closed_share(h, threshold):
    h.abs_()
    return (h > threshold).double().mean()


def mean_gate(h):
    return h.pow_(2).neg_().add_(1).mean()


def push_and_pull(logits, labels):
    push = logits.clone()
    push -= push.max(1, keepdim=True).values
    push.exp_()
    push /= push.sum(1, keepdim=True)
    pull = torch.zeros(logits.shape)
    pull[range(len(labels)), labels] += 1
    return push, pull


def accumulation_factor(tokens, token):
    factor = torch.zeros((), dtype=torch.int64)
    factor += (tokens == token).sum()
    return factor


def backward(x, W, b, a, z):
    slopes = a.clone()
    slopes.mul_(a).neg_().add_(1)
    dx, dW, db = torch.empty_like(x), torch.empty_like(W), torch.zeros_like(b)
    torch.matmul(slopes, W.T, out=dx)
    torch.matmul(x.T, slopes, out=dW)
    for row in slopes:
        db += row
    return [dW, db, dx]
