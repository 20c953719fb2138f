"""A stub returns what autograd would have left.

lesson: 01
dz: shape | = Your code reads `.grad`, which is None here: autograd has not run.
"""

def dz(z):
    return z.grad
