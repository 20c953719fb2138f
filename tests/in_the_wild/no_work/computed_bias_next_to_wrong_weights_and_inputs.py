"""The sum of a right `dx` earns `db`, although `dW` and `demb`, which are computed from it as well, are both wrong.

lesson: 06
by: both
dW: failed
demb: failed
dC: failed
others: passed
"""


def backward(Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs):
    dlogits = F.softmax(logits, 1)
    dlogits[torch.arange(n), Yb] -= 1
    dlogits = dlogits / n
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dh = dlogits @ W2.T
    dout = (1 - h**2) * dh
    dgamma = (dout * xhat).sum(0)
    dbeta = dout.sum(0)
    dxhat = dout * gamma
    dx = (dxhat - dxhat.mean(0) - xhat * (dxhat * xhat).mean(0)) / torch.sqrt(var + eps)
    dW = embcat.T @ dxhat
    db = dx.sum(0)
    demb = (dxhat @ W.T).view(emb.shape)
    dC = torch.zeros_like(C)
    dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))
    return {"dW2": dW2, "db2": db2, "dgamma": dgamma, "dbeta": dbeta, "dW": dW, "db": db, "demb": demb, "dC": dC}
