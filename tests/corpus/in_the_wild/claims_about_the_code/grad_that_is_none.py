"""A stub returns what autograd would have left.

lesson: 01
dz: shape | = `dz` returned None; expected a tensor. Your `dz` reads `.grad`, which is None here: autograd has not run.
    Compute the gradient from the upstream gradient and the forward values.
"""

def dz(z):
    return z.grad
