"""Matrices of two axes in mind where there is a stack of them; the forward pass's -inf; all paths added up at once.

lesson: 12
dWo, dv: error | `.T` reverses all axes of a tensor that has more than two; `.transpose(-2, -1)` swaps the last two.
dweights: error | = RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [3, 5] but got: [3,
    7]. In `dcontext @ v`, a transpose is missing, one too many, or in the wrong place. In the right form, your
    `dweights` is right. Write the shapes next to each other: over which axis should the product sum?
dscores: failed | = This writes the forward pass's -inf. How much does a score that was overwritten move the loss?
dx: failed | = You add up before you multiply. A sum of products is not the product of sums: multiply each path first.
no_future: failed
"""

def dWo(dout, context):
    return context.T @ dout


def dv(dcontext, weights):
    return weights.T @ dcontext


def dweights(dcontext, v):
    return dcontext @ v


def dscores(dmasked, past):
    return dmasked.masked_fill(~past, float("-inf"))


def dx(dq, dk, dv, Wq, Wk, Wv):
    return (dq + dk + dv) @ (Wq + Wk + Wv).T
