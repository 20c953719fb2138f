"""The checkpoints live on the call stack: each call holds the activation that goes into its segment."""

import torch


def layer(h, W):
    return torch.tanh(torch.matmul(h, W))


def forward(x, weights):
    return forward(layer(x, weights[0]), weights[1:]) if weights else x


def backward_all(x, weights, dout):
    if not weights:
        return dout, []
    W, *others = weights
    h = layer(x, W)
    dh, gradients = backward_all(h, others, dout)
    dz = (1 - h**2) * dh
    return dz @ W.T, [x.T @ dz, *gradients]


def checkpoints(x, weights, every):
    if len(weights) <= every:
        return [x]
    return [x, *checkpoints(forward(x, weights[:every]), weights[every:], every)]


def backward_checkpointed(x, weights, dout, every):
    first, others = weights[:every], weights[every:]
    dh, later = backward_checkpointed(forward(x, first), others, dout, every) if others else (dout, [])
    dx, gradients = backward_all(x, first, dh)
    return dx, gradients + later


def best_spacing(depth):
    return min(range(1, depth + 1), key=lambda every: -(-depth // every) + every)
