"""`a` is the activation and `da` the gradient before it: what it is computed from says so.

lesson: 03
as: notebook
alone: yes
dh: passed
dW2: passed
dhpreact: passed | = Read from `da`: by its formula it can only be `dhpreact`.
dbngain: passed
dbnbias: failed | You take the mean over axis 0 where a sum belongs
others: missing
"""
from torch import tanh

a = tanh(apreact)
# %%
dh = dlogits @ W2.T
dW2 = a.T @ dlogits
da = (1 - a**2) * dh
dbngain = (bnraw * da).sum(0, keepdim=True)
dbnbias = da.mean(0, keepdim=True)
