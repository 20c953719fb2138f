"""The name of a function of the file, where its gradient is meant.

lesson: 02
by: both
dW: error | Inside the function of a gradient, add the name of another gradient to the parameters, and make its own tensor
    first. Elsewhere, call the function, or use the variable that has its result.
dX: shape | = `dX` returned a function; expected a tensor. Where does the last line's name get its value?
"""


def dW(X):
    return X.T @ dh


def dX(dh, W):
    dX_ = dh @ W.T
    return dX
