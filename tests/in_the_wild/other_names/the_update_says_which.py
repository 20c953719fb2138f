"""The training loop's gradients under short names, in the order of the parameters: the update says which is whose.

lesson: 07
as: script
alone: yes
others: missing | The lecture's notebook has no such row
dW2: passed | = Read from `g4`: `(g4, W2)` in mine.py, line 35 says that it is `dW2`.
db2: passed | = Read from `g5`: `(g5, b2)` in mine.py, line 35 says that it is `db2`.
dbngain: passed | = Read from `g6`: `(g6, bngain)` in mine.py, line 35 says that it is `dbngain`.
dbnbias: passed | = Read from `g7`: `(g7, bnbias)` in mine.py, line 35 says that it is `dbnbias`.
dW1: passed | = Read from `g2`: `(g2, W1)` in mine.py, line 35 says that it is `dW1`.
db1: passed | = Read from `g3`: `(g3, b1)` in mine.py, line 35 says that it is `db1`.
dC: passed | = Read from `g1`: `(g1, C)` in mine.py, line 35 says that it is `dC`.
loss: passed
"""

import torch
import torch.nn.functional as F

parameters = [C, W1, b1, W2, b2, bngain, bnbias]
with torch.no_grad():
  for i in range(1000):
    ix = torch.randint(0, Xtr.shape[0], (32,))
    Xb, Yb = Xtr[ix], Ytr[ix]
    n = Xb.shape[0]
    emb = C[Xb]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    bnmean = hprebn.mean(0, keepdim=True)
    bnvar = hprebn.var(0, keepdim=True, unbiased=True)
    bnvar_inv = (bnvar + 1e-5)**-0.5
    bnraw = (hprebn - bnmean) * bnvar_inv
    hpreact = bngain * bnraw + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Yb)
    back = F.softmax(logits, 1)
    back[range(n), Yb] -= 1
    back /= n
    g4 = h.T @ back
    g5 = back.sum(0)
    back = (1.0 - h**2) * (back @ W2.T)
    g6 = (bnraw * back).sum(0, keepdim=True)
    g7 = back.sum(0, keepdim=True)
    back = bngain*bnvar_inv/n * (n*back - back.sum(0) - n/(n-1)*bnraw*(back*bnraw).sum(0))
    g2 = embcat.T @ back
    g3 = back.sum(0)
    g1 = torch.zeros_like(C)
    g1.index_add_(0, Xb.view(-1), (back @ W1.T).view(-1, C.shape[1]))
    grads = [g1, g2, g3, g4, g5, g6, g7]
    for p, grad in zip(parameters, grads):
      p.data += -0.1 * grad
