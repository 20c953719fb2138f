"""One function that returns the loss and all gradients."""


def backward(parameters, x, n):
    """Returns loss, [dW, db]; `parameters` is [W, b]."""
    # <answer>
    W, b = parameters
    y = x @ W + b
    dy = 2 * y / n
    dW = x.T @ dy
    db = dy.sum(0)
    return (y**2).sum() / n, [dW, db]
    # </answer>
