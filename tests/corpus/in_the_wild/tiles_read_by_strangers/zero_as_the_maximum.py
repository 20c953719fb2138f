"""The maximum is always zero: that `l` was given as zeros as well explains nothing.

lesson: 19
add_tile: failed | = Every element of `tile 1.m` is zero. What should have moved it?
others: any
"""

def add_tile(m, l, acc, scores, V):
    largest = torch.zeros_like(m)
    shrink = torch.exp(m - largest)
    weights = torch.exp(scores - largest[:, None])
    return largest, l * shrink + weights.sum(1), acc * shrink[:, None] + weights @ V
