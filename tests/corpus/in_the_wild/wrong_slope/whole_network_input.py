"""The slope of tanh at its input, inside the whole backward pass.

lesson: 06
by: dojo
dgamma: failed | = In `1 - out**2`, look at `out`: another value belongs there. With it, this gradient is right.
    Which value does the forward pass use there?
dbeta: failed | = In `1 - out**2`, look at `out`: another value belongs there. With it, this gradient is right.
    Which value does the forward pass use there?
dW: failed | = In `1 - out**2`, look at `out`: another value belongs there. With it, this gradient is right.
    Which value does the forward pass use there?
demb: failed | = In `1 - out**2`, look at `out`: another value belongs there. With it, this gradient is right.
    Which value does the forward pass use there?
dC: failed | = In `1 - out**2`, look at `out`: another value belongs there. With it, this gradient is right.
    Which value does the forward pass use there?
db: failed | zeros are right without any work
others: passed
"""

def backward(emb, embcat, x, mean, var, xhat, out, h, logits, probs, C, W, b, gamma, beta, W2, b2, Xb, Yb, n, eps):
    dlogits = F.softmax(logits, 1)
    dlogits[torch.arange(n), Yb] -= 1
    dlogits = dlogits / n
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dh = dlogits @ W2.T
    dout = (1 - out**2) * dh
    dgamma = (dout * xhat).sum(0)
    dbeta = dout.sum(0)
    dxhat = dout * gamma
    from_mean = dxhat.mean(0)
    from_variance = xhat * (dxhat * xhat).mean(0)
    dx = (dxhat - from_mean - from_variance) / torch.sqrt(var + eps)
    dW = embcat.T @ dx
    db = dx.sum(0)
    dembcat = dx @ W.T
    demb = dembcat.view(emb.shape)
    dC = torch.zeros_like(C)
    dC.index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))
    return dW2, db2, dgamma, dbeta, dW, db, demb, dC
