"""An assertion that does not hold, a name that another of the function's is like, and a mean of a network's loss.

lesson: 01
by: dojo
dx: error | = AssertionError. An `assert` in your code does not hold for the values of this call. Is what it claims true
    of them?
dW: error | = NameError: name 'dzz' is not defined. Nothing of the name `dzz` has been set when that line is reached. Do
    you mean `dz`?
dgrid: failed | = Your `dgrid` is as if `dtotal` were all ones: it is the local derivative of `total` alone. The chain
    rule multiplies it by the upstream gradient `dtotal`.
backward: failed | = In `torch.ones_like(a) / a.numel()`, `a.numel()` is one too many. Without it, `backward` is
    right. Its public example: exercises/01_chain_rule/examples.py:21
"""

def dx(dz, W):
    assert dz.shape == W.shape
    return dz @ W.T


def dW(x, da, a):
    dz = da * (1 - a**2)
    return x.T @ dzz + 0 * dz


def dgrid(dtotal, grid):
    return torch.ones_like(grid)


def backward(x, W, b, a, z):
    da = torch.ones_like(a) / a.numel()
    dz = da * (1 - a**2)
    return x.T @ dz, dz.sum(0), dz @ W.T
