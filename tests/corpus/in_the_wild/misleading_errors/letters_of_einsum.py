"""Letters of einsum that do not fit, an inverse, and an axis that is read backwards.

lesson: 02
by: both
dX: error | In `einsum`, the letters after `->` are those of the inputs. `z` is none of them.
dh: error | Only a square matrix has an inverse, and this one is
db2: error | A tensor cannot be read backwards by `[::-1]`. `.flip(0)` turns an axis round, where that is meant.
dW: error | `einsum` needs one letter for each axis. Here a tensor of 2 axes gets 3 letters.
others: any
"""


def dX(dh, W):
    return torch.einsum("ij,kj->iz", dh, W)


def dh(dh_norm, h_norm):
    return dh_norm @ torch.linalg.inv(h_norm)


def db2(dlogits):
    return dlogits[::-1].sum(0)


def dW(X, dh):
    return torch.einsum("nij,nk->jk", X, dh)
