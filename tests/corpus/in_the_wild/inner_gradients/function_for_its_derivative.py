"""The tanh of the gradient in the place of its derivative: no formula fits, and yet it is known where it begins.

lesson: 06
dW2: passed
db2: passed
db: failed | The true `db` is zero here, so zeros are right without any work.
dW: failed | = Up to `dlogits` and `dh` your `backward` is right. `dout` is wrong, and `dW` is computed from it.
others: failed | `dout` is wrong
cmp: passed
cmp_shapes: passed
compare_all: passed
"""


def backward(Xb, Yb, n, eps, C, W, b, gamma, beta, W2, b2, emb, embcat, x, mean, var, xhat, out, h, logits, probs):
    dlogits = F.softmax(logits, 1)
    dlogits[torch.arange(n), Yb] -= 1
    dlogits = dlogits / n
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dh = dlogits @ W2.T
    dout = torch.tanh(dh)
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
