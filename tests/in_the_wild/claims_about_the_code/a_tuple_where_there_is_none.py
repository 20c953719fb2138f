"""`db` is the sum of `dout`, as in a tuple in another order; what is returned here is a dictionary.

lesson: 06
db: failed | Your `db` is exactly the gradient of `beta`.
others: passed
"""


def backward(Xb, Yb, n, eps, C, W, gamma, W2, emb, embcat, var, xhat, h, logits):
    dlogits = F.softmax(logits, 1)
    dlogits[torch.arange(n), Yb] -= 1
    dlogits = dlogits / n
    dout = (1 - h**2) * (dlogits @ W2.T)
    dxhat = dout * gamma
    dx = (dxhat - dxhat.mean(0) - xhat * (dxhat * xhat).mean(0)) / torch.sqrt(var + eps)
    demb = (dx @ W.T).view(emb.shape)
    dC = torch.zeros_like(C).index_add_(0, Xb.view(-1), demb.reshape(-1, C.shape[1]))
    return {
        "dW2": h.T @ dlogits,
        "db2": dlogits.sum(0),
        "dgamma": (dout * xhat).sum(0),
        "dbeta": dout.sum(0),
        "dW": embcat.T @ dx,
        "db": dout.sum(0),
        "demb": demb,
        "dC": dC,
    }
