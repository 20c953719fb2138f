"""An inner sum forgotten in the backward pass of a whole network, where the gradients before it are right.

lesson: 06
by: both
dW: failed | = `dxhat * xhat` is used element by element. With its sum or mean over an axis in that place, this
    gradient is right.
dC: failed | `dxhat * xhat` is used element by element.
demb: failed | `dxhat * xhat` is used element by element.
db: failed | = The true `db` is zero here, and yours is not. It is computed from the same upstream gradient as `dW`,
    which is not right yet: begin there.
"""

def backward(Xb, Yb, n, eps, C, W, gamma, W2, emb, embcat, var, xhat, h, probs):
    dlogits = probs.clone()
    dlogits[range(n), Yb] -= 1
    dlogits = dlogits / n
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dh = dlogits @ W2.T
    dout = dh * (1 - h**2)
    dgamma = (dout * xhat).sum(0)
    dbeta = dout.sum(0)
    dxhat = dout * gamma
    dx = (dxhat - dxhat.mean(0) - xhat * (dxhat * xhat)) / torch.sqrt(var + eps)
    dW = embcat.T @ dx
    db = dx.sum(0)
    demb = (dx @ W.T).view(emb.shape)
    dC = torch.zeros_like(C)
    dC.index_add_(0, Xb.view(-1), demb.view(-1, C.shape[1]))
    return dW2, db2, dgamma, dbeta, dW, db, demb, dC
