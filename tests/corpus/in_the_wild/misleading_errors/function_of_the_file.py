"""The name of a function of the file, where its gradient is meant.

lesson: 02
by: both
dW: error | To get the gradient that a function of this file returns, add its name to the parameters of the function that
    needs it. A function cannot read what it returns itself: make that tensor first.
dX: shape | = `dX` returned a function; expected a tensor. Where does the last line's name get its value?
"""


def dW(X):
    return X.T @ dh


def dX(dh, W):
    dX_ = dh @ W.T
    return dX
