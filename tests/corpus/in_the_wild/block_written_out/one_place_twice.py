"""One of the three places is written twice, so another one is missing.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
dC: failed | = Suppose that `demb` is zero except for a 1 in [16, 1, 5]. Then `dC` there is the forward line's slope
    at that element: 1; yours is 2. What is the derivative of the forward line?
others: missing
"""

dC = torch.zeros_like(C)
for i, x in enumerate(Xb):
    dC[x[0]] += demb[i, 0]
    dC[x[1]] += demb[i, 1]
    dC[x[1]] += demb[i, 1]
