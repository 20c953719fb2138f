"""Keeps every activation as a numpy array, and calls `torch.tanh` on one number for each layer."""
# rows of memory: failed
# rows of release: failed
# rows of recomputation: failed

import numpy as np
import torch
from right import backward_all, best_spacing, checkpoints, forward


def backward_checkpointed(x, weights, dout, every):
    h = [x.numpy()]
    for W in weights:
        h.append(np.tanh(h[-1] @ W.numpy()))
        torch.tanh(torch.zeros(()))
    dh, gradients = dout.numpy(), []
    for i in reversed(range(len(weights))):
        dz = dh * (1 - h[i + 1] ** 2)
        gradients.insert(0, torch.from_numpy(h[i].T @ dz))
        dh = dz @ weights[i].numpy().T
    return torch.from_numpy(dh), gradients
