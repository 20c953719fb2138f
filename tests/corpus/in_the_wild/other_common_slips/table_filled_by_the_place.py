"""Each place of a context is added to the row of its number, and what is added up over the batch cancels.

lesson: 06
dC: failed | Every element of your `dC` is zero, up to rounding.
"""

def backward(Xb, Yb, n, eps, C, W, gamma, W2, emb, embcat, xhat, var, h, probs):
    dlogits = probs.clone()
    dlogits[range(n), Yb] -= 1
    dlogits /= n
    dout = (1 - h**2) * (dlogits @ W2.T)
    dxhat = gamma * dout
    dx = (dxhat - dxhat.mean(0) - xhat * (dxhat * xhat).mean(0)) / (var + eps) ** 0.5
    demb = (dx @ W.T).view(emb.shape)
    dC = torch.zeros_like(C)
    for i in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            dC[j] += demb[i, j]
    return {
        "dW2": h.T @ dlogits, "db2": dlogits.sum(0), "dgamma": (xhat * dout).sum(0), "dbeta": dout.sum(0),
        "dW": embcat.T @ dx, "db": dx.sum(0), "demb": demb, "dC": dC,
    }
