"""A matrix product that is multiplied by the number of examples.

lesson: 02
by: both
dW: failed | = In `X.T @ dh * X.shape[0]`, the factor `X.shape[0]` is one too many. Without it, your `dW` is right.
    What is the local derivative of the forward line?
"""


def dW(X, dh):
    return X.T @ dh * X.shape[0]
