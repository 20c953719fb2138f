"""The closed form of batch norm where the lesson has its parts, with a plus for a minus.

lesson: 05
by: both
dx: failed | = `n * dxhat - dxhat.sum(0) + xhat * (dxhat * xhat).sum(0)` adds. If it subtracts, your `dx` is right. What
    is the local derivative of the forward line?
"""


def dx(dxhat, x, mean, var):
    n = x.shape[0]
    std = torch.sqrt(var + 1e-5)
    xhat = (x - mean) / std
    return (n * dxhat - dxhat.sum(0) + xhat * (dxhat * xhat).sum(0)) / (n * std)
