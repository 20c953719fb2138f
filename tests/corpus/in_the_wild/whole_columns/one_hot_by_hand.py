"""A one-hot matrix made by hand, with whole columns.

lesson: 06
by: dojo
dW2: failed | = `dlogits[:, Yb]` picks whole rows or columns, one for each entry of the index. Indexed by rows
    and columns together, so that each row is paired with its own entry, this gradient is right.
db2: failed | = `dlogits[:, Yb]` picks whole rows or columns, one for each entry of the index. Indexed by rows
    and columns together, so that each row is paired with its own entry, this gradient is right.
dgamma: failed | = `dlogits[:, Yb]` picks whole rows or columns, one for each entry of the index. Indexed by
    rows and columns together, so that each row is paired with its own entry, this gradient is right.
dbeta: failed | = `dlogits[:, Yb]` picks whole rows or columns, one for each entry of the index. Indexed by rows
    and columns together, so that each row is paired with its own entry, this gradient is right.
dW: failed | = `dlogits[:, Yb]` picks whole rows or columns, one for each entry of the index. Indexed by rows
    and columns together, so that each row is paired with its own entry, this gradient is right.
demb: failed | = `dlogits[:, Yb]` picks whole rows or columns, one for each entry of the index. Indexed by rows
    and columns together, so that each row is paired with its own entry, this gradient is right.
dC: failed | = `dlogits[:, Yb]` picks whole rows or columns, one for each entry of the index. Indexed by rows
    and columns together, so that each row is paired with its own entry, this gradient is right.
db: failed | zeros are right without any work
others: passed
"""

def backward(emb, embcat, x, mean, var, xhat, out, h, logits, probs, C, W, b, gamma, beta, W2, b2, Xb, Yb, n, eps):
    dlogits = F.softmax(logits, 1)
    dlogits[:, Yb] -= 1
    dlogits = dlogits / n
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dh = dlogits @ W2.T
    dout = (1 - h**2) * dh
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
