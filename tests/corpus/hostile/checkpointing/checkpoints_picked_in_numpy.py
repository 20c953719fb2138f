"""`checkpoints` collects every activation as a numpy array and picks some out afterwards."""
# rows of checkpoints: failed

import numpy as np
import torch
from right import backward_all, best_spacing, forward
from right import backward_checkpointed as _right


def checkpoints(x, weights, every):
    h = [x.numpy()]
    for W in weights[:-1]:
        h.append(np.tanh(h[-1] @ W.numpy()))
    return [torch.from_numpy(kept) for kept in h[::every]]


def backward_checkpointed(x, weights, dout, every):
    return _right(x, weights, dout, every)
