"""The chain through NumPy arrays of other names: its `dlogits` is no answer to exercise 2.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
counts: 03
dnorm_logits: failed | = You write `np.log(cn)` where `cn` belongs. With that, your `dnorm_logits` is right.
others: passed
"""

import numpy as np
def npy(t): return t.detach().numpy()
pr, cn = npy(probs), npy(counts)
dlp = np.zeros_like(npy(logprobs))
dlp[np.arange(n), npy(Yb)] = -1.0/n
dlogprobs = torch.from_numpy(dlp)
dprobs = torch.tensor(npy(dlogprobs) / pr)
dcounts_sum_inv = torch.tensor((npy(dprobs) * cn).sum(axis=1, keepdims=True))
dcounts_sum = torch.tensor(-npy(dcounts_sum_inv) / np.square(npy(counts_sum)))
dcounts = torch.tensor(npy(dprobs) * npy(counts_sum_inv) + npy(dcounts_sum))
dnorm_logits = torch.tensor(npy(dcounts) * np.log(cn))
dlogit_maxes = torch.tensor(-npy(dnorm_logits).sum(axis=1, keepdims=True))
dl = npy(dnorm_logits).copy()
dl[np.arange(n), np.argmax(npy(logits), axis=1)] += npy(dlogit_maxes)[:, 0]
dlogits = torch.tensor(dl)
dh = dlogits @ W2.T
dW2 = h.T @ dlogits
db2 = dlogits.sum(0)
dhpreact = dh * (1 - h*h)
dbngain = (dhpreact*bnraw).sum(0, keepdims=True)
dbnbias = dhpreact.sum(0, keepdims=True)
dbnraw = dhpreact*bngain
dbnvar_inv = (dbnraw*bndiff).sum(0, keepdims=True)
dbnvar = dbnvar_inv * -0.5*(bnvar+1e-5)**(-3/2)
dbndiff2 = 1/(n-1)*torch.ones_like(bndiff2)*dbnvar
dbndiff = dbnraw*bnvar_inv + 2*bndiff*dbndiff2
dbnmeani = -dbndiff.sum(0, keepdims=True)
dhprebn = dbndiff + 1/n*dbnmeani
dembcat = dhprebn @ W1.T
dW1 = embcat.T @ dhprebn
db1 = dhprebn.sum(0)
demb = dembcat.view(emb.shape)
dC = torch.zeros_like(C)
for k in range(Xb.shape[0]):
  for j in range(Xb.shape[1]):
    dC[Xb[k,j]] += demb[k,j]
