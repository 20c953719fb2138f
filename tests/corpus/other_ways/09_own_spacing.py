"""Segments of seven layers, whatever `every` is."""
# lesson: 09
# fails: memory, release, recomputation


def backward_checkpointed(x, weights, dout, every):
    every = 7
    kept, gradients = checkpoints(x, weights, every), []
    for number in reversed(range(len(kept))):
        dout, more = backward_all(kept[number], weights[number * every : (number + 1) * every], dout)
        gradients = more + gradients
    return dout, gradients
