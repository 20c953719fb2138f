"""Everything into buffers made beforehand: one for the checkpoints, one for the segment, `out=` where torch has it."""

import math

import torch


def forward(x, weights):
    h, z = x.clone(), torch.empty_like(x)
    for W in weights:
        torch.matmul(h, W, out=z)
        torch.tanh(z, out=h)
    return h


def run(h, weights):
    """All activations of some layers, one after another in one buffer."""
    buffer = torch.empty((len(weights) + 1, *h.shape), dtype=h.dtype)
    buffer[0] = h
    for i, W in enumerate(weights):
        torch.matmul(buffer[i], W, out=buffer[i + 1])
        buffer[i + 1].tanh_()
    return buffer


def back(buffer, weights, dh):
    gradients = torch.empty((len(weights), *weights[0].shape), dtype=dh.dtype)
    dh, dz = dh.clone(), torch.empty_like(dh)
    for i in range(len(weights) - 1, -1, -1):
        torch.mul(buffer[i + 1], buffer[i + 1], out=dz)
        dz.neg_().add_(1).mul_(dh)
        torch.matmul(buffer[i].T, dz, out=gradients[i])
        torch.matmul(dz, weights[i].T, out=dh)
    return dh, gradients


def backward_all(x, weights, dout):
    dx, gradients = back(run(x, weights), weights, dout)
    return dx, list(gradients)


def checkpoints(x, weights, every):
    buffer = torch.empty((math.ceil(len(weights) / every), *x.shape), dtype=x.dtype)
    buffer[0] = x
    h, z = x.clone(), torch.empty_like(x)
    for i, W in enumerate(weights[: (len(buffer) - 1) * every]):
        torch.matmul(h, W, out=z)
        torch.tanh(z, out=h)
        if (i + 1) % every == 0:
            buffer[(i + 1) // every] = h
    return list(buffer)


def backward_checkpointed(x, weights, dout, every):
    kept = checkpoints(x, weights, every)
    gradients = torch.empty((len(weights), *weights[0].shape), dtype=x.dtype)
    dh = dout
    for number in range(len(kept) - 1, -1, -1):
        layers = slice(number * every, min((number + 1) * every, len(weights)))
        dh, gradients[layers] = back(run(kept[number], weights[layers]), weights[layers], dh)
    return dh, list(gradients)


def best_spacing(depth):
    return round(math.sqrt(depth))
