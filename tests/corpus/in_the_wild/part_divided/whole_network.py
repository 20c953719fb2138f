"""Only one part is divided, inside the whole backward pass.

lesson: 06
by: dojo
dW2: failed | = In `probs - F.one_hot(Yb, C.shape[0]) / n`, brackets are missing: powers come first, then
    products and quotients, then sums and differences. With brackets around the right part, this gradient is
    right.
db2: failed | = In `probs - F.one_hot(Yb, C.shape[0]) / n`, brackets are missing: powers come first, then
    products and quotients, then sums and differences. With brackets around the right part, this gradient is
    right.
dgamma: failed | = In `probs - F.one_hot(Yb, C.shape[0]) / n`, brackets are missing: powers come first, then
    products and quotients, then sums and differences. With brackets around the right part, this gradient is
    right.
dbeta: failed | = In `probs - F.one_hot(Yb, C.shape[0]) / n`, brackets are missing: powers come first, then
    products and quotients, then sums and differences. With brackets around the right part, this gradient is
    right.
dW: failed | = In `probs - F.one_hot(Yb, C.shape[0]) / n`, brackets are missing: powers come first, then
    products and quotients, then sums and differences. With brackets around the right part, this gradient is
    right.
demb: failed | = In `probs - F.one_hot(Yb, C.shape[0]) / n`, brackets are missing: powers come first, then
    products and quotients, then sums and differences. With brackets around the right part, this gradient is
    right.
dC: failed | = In `probs - F.one_hot(Yb, C.shape[0]) / n`, brackets are missing: powers come first, then
    products and quotients, then sums and differences. With brackets around the right part, this gradient is
    right.
db: failed | zeros are right without any work
"""

def backward(emb, embcat, x, mean, var, xhat, out, h, logits, probs, C, W, b, gamma, beta, W2, b2, Xb, Yb, n, eps):
    dlogits = probs - F.one_hot(Yb, C.shape[0]) / n
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
