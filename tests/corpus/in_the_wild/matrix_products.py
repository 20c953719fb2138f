# by: both

# === element_by_element: A product element by element where a matrix product belongs.
# lesson: 02
# dW: error | `X * dh` multiplies element by element. As a matrix product (`@`), with the transpose that it needs,
#     your `dW` is right.

def dW(X, dh):
    return X * dh
