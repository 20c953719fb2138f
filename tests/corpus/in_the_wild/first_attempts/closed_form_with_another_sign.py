"""The closed form of batch norm where the lesson has its parts, with a plus for a minus.

lesson: 05
by: both
dx: failed | = In `n * dxhat - dxhat.sum(0) + xhat * (dxhat * xhat).sum(0)`, the `+` in front of `xhat * (dxhat
    * xhat).sum(0)` is the wrong operation. With another one, your `dx` is right. What is the local derivative
    of the forward line?
"""


def dx(dxhat, x, mean, var):
    n = x.shape[0]
    std = torch.sqrt(var + 1e-5)
    xhat = (x - mean) / std
    return (n * dxhat - dxhat.sum(0) + xhat * (dxhat * xhat).sum(0)) / (n * std)
