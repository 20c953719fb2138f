"""Two globals in one line.

lesson: 06
by: dojo
dW2: error | = This gradient is right at the sizes in README.md and wrong at others (batch 7, block 2, vocabulary 9,
    embedding 5, hidden 8). Line 113 uses the number 32, which is `n` there: `BATCH = 32`. Take sizes from what you
    are given.
db2: error | = This gradient is right at the sizes in README.md and wrong at others (batch 7, block 2, vocabulary 9,
    embedding 5, hidden 8). Line 113 uses the number 32, which is `n` there: `BATCH = 32`. Take sizes from what you
    are given.
dgamma: error | = This gradient is right at the sizes in README.md and wrong at others (batch 7, block 2, vocabulary 9,
    embedding 5, hidden 8). Line 113 uses the number 32, which is `n` there: `BATCH = 32`. Take sizes from what you
    are given.
dbeta: error | = This gradient is right at the sizes in README.md and wrong at others (batch 7, block 2, vocabulary 9,
    embedding 5, hidden 8). Line 113 uses the number 32, which is `n` there: `BATCH = 32`. Take sizes from what you
    are given.
dW: error | = This gradient is right at the sizes in README.md and wrong at others (batch 7, block 2, vocabulary 9,
    embedding 5, hidden 8). Line 113 uses the number 32, which is `n` there: `BATCH = 32`. Take sizes from what you
    are given.
db: error | = This gradient is right at the sizes in README.md and wrong at others (batch 7, block 2, vocabulary 9,
    embedding 5, hidden 8). Line 113 uses the number 32, which is `n` there: `BATCH = 32`. Take sizes from what you
    are given.
demb: error | = This gradient is right at the sizes in README.md and wrong at others (batch 7, block 2, vocabulary 9,
    embedding 5, hidden 8). Line 113 uses the number 32, which is `n` there: `BATCH = 32`. Take sizes from what you
    are given.
dC: error | = This gradient is right at the sizes in README.md and wrong at others (batch 7, block 2, vocabulary 9,
    embedding 5, hidden 8). Line 113 uses the number 32, which is `n` there: `BATCH = 32`. Take sizes from what you
    are given.
"""

BATCH, CLASSES = 32, 27


def backward(emb, embcat, x, mean, var, xhat, out, h, logits, probs, C, W, b, gamma, beta, W2, b2, Xb, Yb, n, eps):
    dlogits = (probs - F.one_hot(Yb, CLASSES)) / BATCH
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
