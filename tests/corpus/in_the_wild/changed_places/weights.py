"""Two weight gradients have changed places.

lesson: 03
dW2: shape | = Your `dW2` is exactly the gradient of `W1`, and your `dW1` that of `W2`: the two have changed places.
dW1: shape | = Your `dW1` is exactly the gradient of `W2`, and your `dW2` that of `W1`: the two have changed places.
others: passed
"""

def dW2(dhprebn, embcat):
    return embcat.T @ dhprebn


def dW1(dlogits, h):
    return h.T @ dlogits
