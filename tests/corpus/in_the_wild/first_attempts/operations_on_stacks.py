"""Functions for matrices, called with stacks of them.

lesson: 13
dweights: error | = RuntimeError: batch1 must be a 3D tensor. `torch.bmm` takes two tensors with three axes each. `@`
    takes any number of axes, and multiplies the matrices in the last two.
dscores: error | = RuntimeError: diag(): Supports 1D or 2D tensors. Got 4D. `torch.diag` takes a vector or a matrix,
    and this tensor has 4 axes. `torch.diag_embed` makes a matrix of each row.
dWq: error | = RuntimeError: t() expects a tensor with <= 2 dimensions, but self is 3D. `.t()` is for matrices, and
    this tensor has 3 axes. `.mT`, or `.transpose(-2, -1)`, swaps the last two.
dWk: error | = RuntimeError: self must be a matrix. `torch.mm` takes two matrices, and `torch.mv` a matrix and a
    vector. `@` takes any number of axes, and multiplies the matrices in the last two.
"""

def dweights(dcontexts, values):
    return torch.bmm(dcontexts, values.mT)


def dWq(dq, x):
    return torch.mm(x.t(), dq)


def dWk(dk, x):
    return torch.mm(x.mT, dk)


def dscores(dweights, weights):
    J = torch.diag(weights) - weights @ weights.T
    return J @ dweights
