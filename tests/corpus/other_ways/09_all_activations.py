"""The ordinary backward pass under the other name: every activation is kept."""
# lesson: 09
# fails: memory, release, recomputation


def backward_checkpointed(x, weights, dout, every):
    return backward_all(x, weights, dout)
