"""Honest: tanh by another formula, and prints at import and in the call."""

import torch
from right import backward_all, best_spacing, checkpoints, forward

print("hello")


def tanh(z):
    return 2 * torch.sigmoid(2 * z) - 1


def segment_back(h, weights, dh):
    run = [h]
    for W in weights:
        run.append(tanh(run[-1] @ W))
    gradients = []
    for W in reversed(weights):
        dz = dh * (1 - run.pop() ** 2)
        gradients.insert(0, run[-1].T @ dz)
        dh = dz @ W.T
    return dh, gradients


def backward_checkpointed(x, weights, dout, every):
    kept = checkpoints(x, weights, every)
    dh, gradients = dout, []
    print(len(kept), "segments")
    while kept:
        start = (len(kept) - 1) * every
        dh, some = segment_back(kept.pop(), weights[start : start + every], dh)
        gradients = some + gradients
    return dh, gradients
