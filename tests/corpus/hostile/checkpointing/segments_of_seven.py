"""Ignores `every`: its segments have seven layers, whatever the argument says."""
# rows of memory: failed
# rows of release: failed
# rows of recomputation: failed

import right
from right import backward_all, best_spacing, checkpoints, forward


def backward_checkpointed(x, weights, dout, every):
    return right.backward_checkpointed(x, weights, dout, 7)
