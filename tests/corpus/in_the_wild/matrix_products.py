# by: both

# === element_by_element: A product element by element where a matrix product belongs.
# lesson: 02
# dW: error | `X * dh` multiplies element by element. As a matrix product (`@`), with the transpose that it needs,
#     your `dW` is right.

def dW(X, dh):
    return X * dh

# === functions_for_the_operator: A matrix product written as a function is read as `@`.
# lesson: 03
# dW2: error | In `torch.matmul(h, dlogits)`, a transpose is missing, one too many, or in the wrong place.

def dW2(dlogits, h):
    return torch.matmul(h, dlogits)

# === matrix_of_another_layer: No order and no transpose of these two has the right shape.
# lesson: 02
# dX: error | In `dh @ W2.T`, look at `W2`: another value belongs there. With it, your `dX` is right.

def dX(dh, W2):
    return dh @ W2.T
