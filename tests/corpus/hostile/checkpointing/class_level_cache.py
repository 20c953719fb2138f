"""A cache of numpy arrays on a class: every activation stays there, and each tensor that torch made is gone at once."""
# rows of memory: failed
# rows of release: failed
# rows of recomputation: failed

import numpy as np
import torch
from right import backward_all, best_spacing, checkpoints, forward


class Cache:
    kept = {}


def backward_checkpointed(x, weights, dout, every):
    Cache.kept = {0: np.array(x)}
    for i, W in enumerate(weights):
        Cache.kept[i + 1] = np.array(torch.tanh(torch.from_numpy(Cache.kept[i]) @ W))
    dh, gradients = dout, [None] * len(weights)
    for i in reversed(range(len(weights))):
        dz = dh * (1 - torch.from_numpy(Cache.kept.pop(i + 1)) ** 2)
        gradients[i] = torch.from_numpy(Cache.kept[i]).T @ dz
        dh = dz @ weights[i].T
    return dh, gradients
