"""The loop writes the context out, which makes it fail where a context is shorter.

lesson: 07
as: notebook
alone: yes
dW2: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 1, line 33: 3 parts
    written one by one (block). A loop over `range(Xb.shape[1])` works at any size.
db2: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 1, line 33: 3 parts
    written one by one (block). A loop over `range(Xb.shape[1])` works at any size.
dbngain: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 1, line 33: 3 parts
    written one by one (block). A loop over `range(Xb.shape[1])` works at any size.
dbnbias: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 1, line 33: 3 parts
    written one by one (block). A loop over `range(Xb.shape[1])` works at any size.
dW1: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 1, line 33: 3 parts
    written one by one (block). A loop over `range(Xb.shape[1])` works at any size.
db1: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 1, line 33: 3 parts
    written one by one (block). A loop over `range(Xb.shape[1])` works at any size.
dC: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 1, line 33: 3 parts
    written one by one (block). A loop over `range(Xb.shape[1])` works at any size.
loss: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 1, line 33: 3 parts
    written one by one (block). A loop over `range(Xb.shape[1])` works at any size.
others: missing
"""

block_size = 3
for i in range(max_steps):
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
    Xb, Yb = Xtr[ix], Ytr[ix]
    emb = C[Xb]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True)
    bnvar = hprebn.var(0, keepdim=True, unbiased=True)
    bnvar_inv = (bnvar + 1e-5) ** -0.5
    bnraw = (hprebn - bnmean) * bnvar_inv
    hpreact = bngain * bnraw + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Yb)
    dlogits = F.softmax(logits, 1)
    dlogits[range(n), Yb] -= 1
    dlogits /= n
    dh = dlogits @ W2.T
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dhpreact = (1.0 - h**2) * dh
    dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
    dbnbias = dhpreact.sum(0, keepdim=True)
    dhprebn = bngain*bnvar_inv/n * (n*dhpreact - dhpreact.sum(0) - n/(n-1)*bnraw*(dhpreact*bnraw).sum(0))
    dembcat = dhprebn @ W1.T
    dW1 = embcat.T @ dhprebn
    db1 = dhprebn.sum(0)
    demb = dembcat.view(emb.shape)
    dC = torch.zeros_like(C)
    for row, x in enumerate(Xb):
        dC[x[0]] += demb[row, 0]
        dC[x[1]] += demb[row, 1]
        dC[x[2]] += demb[row, 2]
