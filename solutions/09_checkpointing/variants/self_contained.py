"""Every function by itself: indices, in-place operations on tensors of its own, checkpoints let go of after use."""

import torch


def forward(x, weights):
    h = x.clone()
    for i in range(len(weights)):
        h = h.mm(weights[i]).tanh_()
    return h


def backward_all(x, weights, dout):
    depth = len(weights)
    h = {0: x}
    for i in range(1, depth + 1):
        h[i] = torch.mm(h[i - 1], weights[i - 1]).tanh_()
    gradients = [None] * depth
    dh = dout.clone()
    for i in range(depth, 0, -1):
        dh.mul_(1 - h[i].square())
        gradients[i - 1] = h[i - 1].t().mm(dh)
        dh = dh.mm(weights[i - 1].t())
        del h[i]
    return dh, gradients


def checkpoints(x, weights, every):
    kept = []
    h = x
    for i in range(len(weights)):
        if i % every == 0:
            kept.append(h)
        h = torch.tanh(h @ weights[i])
    return kept


def backward_checkpointed(x, weights, dout, every):
    depth = len(weights)
    kept = []
    h = x
    for i in range(depth):
        if i % every == 0:
            kept.append(h)
        h = torch.tanh(h @ weights[i])
    gradients = [None] * depth
    dh = dout
    end = depth
    while kept:
        start = (len(kept) - 1) * every
        segment = [kept.pop()]
        for i in range(start, end):
            segment.append(torch.tanh(segment[-1] @ weights[i]))
        for i in range(end - 1, start - 1, -1):
            after = segment.pop()
            dz = dh * (1 - after * after)
            gradients[i] = segment[-1].T @ dz
            dh = dz @ weights[i].T
        end = start
    return dh, gradients


def best_spacing(depth):
    return max(1, int(depth**0.5))
