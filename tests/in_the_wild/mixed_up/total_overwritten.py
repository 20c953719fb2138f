"""A total is overwritten in each round of a loop.

lesson: 11
dbias: failed | = `total = dout[b].sum(0)` gives `total` another value in each round of the loop, so only the last one is
    left. If each round adds to it, your `dbias` is right.
"""

def dbias(dout):
    total = torch.zeros(dout.shape[-1], dtype=dout.dtype)
    for b in range(dout.shape[0]):
        total = dout[b].sum(0)
    return total
