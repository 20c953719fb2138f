"""The template's line of Nones is left below the formulas of the loop.

lesson: 07
as: script
alone: yes
dW2: missing | `dW2` is computed in mine.py, line
db2: missing | sets it to None again.
others: any
"""


for i in range(max_steps):
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
    Xb, Yb = Xtr[ix], Ytr[ix]
    emb = C[Xb]; embcat = emb.view(emb.shape[0], -1); hprebn = embcat @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True); bnvar = hprebn.var(0, keepdim=True, unbiased=True)
    bnvar_inv = (bnvar + 1e-5) ** -0.5; bnraw = (hprebn - bnmean) * bnvar_inv
    h = torch.tanh(bngain * bnraw + bnbias); logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Yb)
    dlogits = F.softmax(logits, 1); dlogits[range(n), Yb] -= 1; dlogits /= n
    dW2 = h.T @ dlogits; db2 = dlogits.sum(0)
    dC, dW1, db1, dW2, db2, dbngain, dbnbias = [None] * 7
    grads = [dC, dW1, db1, dW2, db2, dbngain, dbnbias]
    for p, grad in zip(parameters, grads): p.data += -0.1 * grad
