"""One of the three places is written twice, so another one is missing.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
dC: failed | = Change two things, and your `dC` is right: the number 1 in `x[1]`, and the
    number 1 in `demb[i, 1]`.
others: missing
"""

dC = torch.zeros_like(C)
for i, x in enumerate(Xb):
    dC[x[0]] += demb[i, 0]
    dC[x[1]] += demb[i, 1]
    dC[x[1]] += demb[i, 1]
