"""Einsum, where the letters say which axes meet; `addcmul` for the gate; checkpoints in a dictionary by their index."""

import numpy as np
import torch


def forward(x, weights):
    h = x
    for W in weights:
        h = torch.einsum("bi,ij->bj", h, W).tanh()
    return h


def through(layers, h, dh, weights):
    """Back through the layers with these numbers; `h` is the activation that goes into the first of them."""
    activations = {layers[0]: h}
    for i in layers:
        activations[i + 1] = torch.einsum("bi,ij->bj", activations[i], weights[i]).tanh()
    gradients = {}
    for i in layers[::-1]:
        after = activations.pop(i + 1)
        dz = torch.addcmul(dh, dh * after, after, value=-1)
        gradients[i] = torch.einsum("bi,bj->ij", activations[i], dz)
        dh = torch.einsum("bj,ij->bi", dz, weights[i])
    return dh, gradients


def backward_all(x, weights, dout):
    dx, gradients = through(range(len(weights)), x, dout, weights)
    return dx, [gradients[i] for i in range(len(weights))]


def kept_by_index(x, weights, every):
    kept, h = {}, x
    for i, W in enumerate(weights):
        if i % every == 0:
            kept[i] = h
        h = torch.einsum("bi,ij->bj", h, W).tanh()
    return kept


def checkpoints(x, weights, every):
    return list(kept_by_index(x, weights, every).values())


def backward_checkpointed(x, weights, dout, every):
    depth = len(weights)
    kept = kept_by_index(x, weights, every)
    gradients, dh = {}, dout
    for start in sorted(kept, reverse=True):
        dh, new = through(range(start, min(start + every, depth)), kept.pop(start), dh, weights)
        gradients.update(new)
    return dh, [gradients[i] for i in range(depth)]


def best_spacing(depth):
    return int(np.round(np.sqrt(depth)))
