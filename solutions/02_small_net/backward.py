"""Lesson 02: the backward pass of a small net, from the loss down to the input.

Each function returns the gradient of the loss with respect to one value of `forward.py`, in the shape of that value.
Its parameters are forward values (`h_norm`) and upstream gradients (`dh_norm`). The grader passes them by name. If you
need another one, add its name to the parameters. Return a new tensor, and do not change a parameter in place.
Work from the top to the bottom.

Check as often as you like:  dojo check 02
"""

import torch
import torch.nn.functional as F


def dlogits(logits, Y, N):
    # <answer>
    gradient = F.softmax(logits, dim=1)
    gradient[torch.arange(N), Y] -= 1
    return gradient / N
    # </answer>


def dh_bn(dlogits, W2):
    # <answer>
    return dlogits @ W2.T
    # </answer>


def dW2(dlogits, h_bn):
    # <answer>
    return h_bn.T @ dlogits
    # </answer>


def db2(dlogits):
    # <answer>
    return dlogits.sum(0)
    # </answer>


def dgamma(dh_bn, h_norm):
    # <answer>
    return (dh_bn * h_norm).sum(0)
    # </answer>


def dbeta(dh_bn):
    # <answer>
    return dh_bn.sum(0)
    # </answer>


def dh_norm(dh_bn, gamma):
    # <answer>
    return gamma * dh_bn
    # </answer>


def dh(dh_norm, h_norm, h_var, N):
    # <answer>
    direct = N * dh_norm
    through_mean = dh_norm.sum(0)
    through_variance = h_norm * (h_norm * dh_norm).sum(0)
    return (direct - through_mean - through_variance) / (N * torch.sqrt(h_var + 1e-5))
    # </answer>


def dW(dh, X):
    # <answer>
    return X.T @ dh
    # </answer>


def db(dh):
    # <answer>
    return dh.sum(0)
    # </answer>


def dX(dh, W):
    # <answer>
    return dh @ W.T
    # </answer>
