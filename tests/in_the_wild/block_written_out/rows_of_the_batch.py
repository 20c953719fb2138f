"""The context of three is written out row by row.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
dC: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 5, line 4: 3 parts written
    one by one (block). A loop over `range(Xb.shape[1])` works at any size.
others: missing
"""

dC = torch.zeros_like(C)
for i, x in enumerate(Xb):
    dC[x[0]] += demb[i, 0]
    dC[x[1]] += demb[i, 1]
    dC[x[2]] += demb[i, 2]
