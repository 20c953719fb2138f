"""The slip is `counts` for `probs`; the forward pass is right, and was given.

lesson: 07
as: script
alone: yes
dW2: failed | = `dlogits` is wrong, and `dW2` is computed from it.
db2: failed | = `dlogits` is wrong, and `db2` is computed from it.
others: any
"""


for i in range(max_steps):
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
    Xb, Yb = Xtr[ix], Ytr[ix]
    emb = C[Xb]; embcat = emb.view(emb.shape[0], -1); hprebn = embcat @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True); bnvar = hprebn.var(0, keepdim=True, unbiased=True)
    bnvar_inv = (bnvar + 1e-5) ** -0.5; bnraw = (hprebn - bnmean) * bnvar_inv
    hpreact = bngain * bnraw + bnbias
    h = torch.tanh(hpreact); logits = h @ W2 + b2
    counts = logits.exp()
    counts_sum = counts.sum(1, keepdim=True)
    probs = counts / counts_sum
    loss = -probs[range(n), Yb].log().mean()
    dlogits = counts.clone(); dlogits[range(n), Yb] -= 1; dlogits /= n
    dh = dlogits @ W2.T
    dW2 = h.T @ dlogits; db2 = dlogits.sum(0)
    dhpreact = (1.0 - h**2) * dh
    dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
    dbnbias = dhpreact.sum(0, keepdim=True)
    dhprebn = bngain*bnvar_inv/n * (n*dhpreact - dhpreact.sum(0) - n/(n-1)*bnraw*(dhpreact*bnraw).sum(0))
    dembcat = dhprebn @ W1.T
    dW1 = embcat.T @ dhprebn
    db1 = dhprebn.sum(0)
    demb = dembcat.view(emb.shape)
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            dC[Xb[k,j]] += demb[k,j]
    grads = [dC, dW1, db1, dW2, db2, dbngain, dbnbias]
    for p, grad in zip(parameters, grads): p.data += -0.1 * grad
