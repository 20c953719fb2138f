"""Exercise 1 has the lecture's names, and the loop names of its own: each parameter's update says which is its gradient.

lesson: 07
as: notebook
keeps: import torch | n_embd
counts: 03 07
dW2: passed | = Read from `gW2`: `W2.data -= lr * gW2` in mine.ipynb, cell 5, line 33 says that it is `dW2`.
db2: passed | = Read from `gb2`: `b2.data += -lr * gb2` in mine.ipynb, cell 5, line 34 says that it is `db2`.
dbngain: passed | = Read from `ggain`: `bngain.data = bngain.data - lr * ggain` in mine.ipynb, cell 5, line 35 says
    that it is `dbngain`.
dbnbias: failed | Read from `gshift`: `bnbias.sub_(lr * gshift)` in mine.ipynb, cell 5, line 36 says that it is
    `dbnbias`.
dW1: passed | = Read from `gW1`: `W1 -= lr * gW1` in mine.ipynb, cell 5, line 31 says that it is `dW1`.
db1: passed | = Read from `gb1`: `b1 -= lr * gb1` in mine.ipynb, cell 5, line 32 says that it is `db1`.
dC: passed | = Read from `gC`: `C -= lr * gC` in mine.ipynb, cell 5, line 30 says that it is `dC`.
others: any
"""

max_steps = 1000
# %%
dC = torch.zeros_like(C)
# %%
for i in range(max_steps):
    ix = torch.randint(0, Xtr.shape[0], (32,), generator=g)
    Xb, Yb = Xtr[ix], Ytr[ix]
    n = Xb.shape[0]
    emb = C[Xb]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True)
    bnvar = hprebn.var(0, keepdim=True)
    bnvar_inv = (bnvar + 1e-5)**-0.5
    bnraw = (hprebn - bnmean) * bnvar_inv
    hpreact = bngain * bnraw + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Yb)
    glogits = F.softmax(logits, 1)
    glogits[range(n), Yb] -= 1
    glogits /= n
    gW2 = h.T @ glogits
    gb2 = glogits.sum(0)
    ghpreact = (1.0 - h**2) * (glogits @ W2.T)
    ggain = (bnraw * ghpreact).sum(0, keepdim=True)
    gshift = ghpreact.mean(0, keepdim=True)
    ghprebn = bngain*bnvar_inv/n * (n*ghpreact - ghpreact.sum(0) - n/(n-1)*bnraw*(ghpreact*bnraw).sum(0))
    gW1 = embcat.T @ ghprebn
    gb1 = ghprebn.sum(0)
    gC = torch.zeros_like(C)
    gC.index_add_(0, Xb.view(-1), (ghprebn @ W1.T).view(-1, C.shape[1]))
    lr = 0.1 if i < 100000 else 0.01
    C -= lr * gC
    W1 -= lr * gW1
    b1 -= lr * gb1
    W2.data -= lr * gW2
    b2.data += -lr * gb2
    bngain.data = bngain.data - lr * ggain
    bnbias.sub_(lr * gshift)
