"""A total is overwritten in each round of a loop.

lesson: 11
dbias: failed | = The value is wrong: the error is 1.3 of the gradient's size. Worst element [3]: found -1.80442706,
    expected 5.60661154.
"""

def dbias(dout):
    total = torch.zeros(dout.shape[-1], dtype=dout.dtype)
    for b in range(dout.shape[0]):
        total = dout[b].sum(0)
    return total
