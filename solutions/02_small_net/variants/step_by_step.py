"""Right, by small steps: cross-entropy through every intermediate, batch norm through dvar and dmean."""

import torch


def dlogits(logits, Y, N):
    # forward again, in the smallest steps
    norm_logits = logits - logits.max(1, keepdim=True).values
    counts = norm_logits.exp()
    counts_sum = counts.sum(1, keepdim=True)
    probs = counts / counts_sum
    # and back
    dlogprobs = torch.zeros_like(logits)
    dlogprobs[range(N), Y] = -1.0 / N
    dprobs = dlogprobs / probs
    dcounts_sum = -(dprobs * counts / counts_sum**2).sum(1, keepdim=True)
    dcounts = dprobs / counts_sum + dcounts_sum
    dnorm_logits = dcounts * counts
    gradient = dnorm_logits.clone()
    gradient[range(N), logits.max(1).indices] -= dnorm_logits.sum(1)
    return gradient


def dh_bn(dlogits, W2):
    return (W2 @ dlogits.T).T


def dW2(dlogits, h_bn):
    return (dlogits.T @ h_bn).T


def db2(dlogits):
    return torch.ones(dlogits.shape[0], dtype=dlogits.dtype) @ dlogits


def dgamma(dh_bn, h, h_mean, h_var):
    xhat = (h - h_mean) * torch.pow(h_var + 1e-5, -0.5)
    return torch.diagonal(xhat.T @ dh_bn).clone()


def dbeta(dh_bn):
    return dh_bn.mean(0) * dh_bn.shape[0]


def dh_norm(dh_bn, gamma):
    return dh_bn @ torch.diag(gamma)


def dh(dh_norm, h, h_mean, h_var, N):
    difference = h - h_mean
    dvar = (dh_norm * difference * -0.5 * (h_var + 1e-5) ** -1.5).sum(0)
    dmean = (-dh_norm / torch.sqrt(h_var + 1e-5)).sum(0) + dvar * (-2 * difference).mean(0)
    return dh_norm / torch.sqrt(h_var + 1e-5) + dvar * 2 * difference / N + dmean / N


def dW(dh, X):
    return (dh.T @ X).T


def db(dh):
    return dh.T.sum(1)


def dX(dh, W):
    return (W @ dh.T).T
