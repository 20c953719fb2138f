"""All eight gradients, in the order of the parameters; that of `b` is zero, and equals many things.

lesson: 06
by: both
dC: shape | You return `demb` as it came
dgamma: failed | look at `db`: another value belongs there.
dbeta: failed
db2: shape | Your `db2` is exactly the gradient of `W`.
dW: shape
dW2: shape
db: shape
demb: shape
"""

def backward(Xb, Yb, n, eps, C, W, gamma, W2, emb, embcat, var, xhat, h, probs):
    dlogits = probs.clone()
    dlogits[range(n), Yb] -= 1
    dlogits = dlogits / n
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dout = dlogits @ W2.T * (1 - h**2)
    dgamma = (dout * xhat).sum(0)
    dbeta = dout.sum(0)
    dxhat = dout * gamma
    dx = (dxhat - dxhat.mean(0) - xhat * (dxhat * xhat).mean(0)) / torch.sqrt(var + eps)
    dW = embcat.T @ dx
    db = dx.sum(0)
    demb = (dx @ W.T).view(emb.shape)
    dC = torch.zeros_like(C)
    dC.index_add_(0, Xb.view(-1), demb.view(-1, C.shape[1]))
    return dC, dW, db, dgamma, dbeta, dW2, db2, demb
