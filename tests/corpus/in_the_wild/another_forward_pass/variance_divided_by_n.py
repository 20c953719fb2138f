"""The notebook's own forward pass divides the variance by n, and so does the way back. The mean is written otherwise.

lesson: 03
as: notebook
alone: yes
dbnvar: passed
dbndiff2: failed
dbndiff: passed
dbnmeani: passed
dhprebn: failed | = In `dbndiff + dbnmeani`, a part is not divided by `n`. Divided by it in the right place,
    your `dhprebn` is right.
others: missing
"""

hprebn = embcat @ W1 + b1
bnmeani = hprebn.mean(0, keepdim=True)
bndiff = hprebn - bnmeani
bndiff2 = bndiff * bndiff
bnvar = bndiff2.mean(0, keepdim=True)
bnvar_inv = (bnvar + 1e-5) ** -0.5
bnraw = bndiff * bnvar_inv
hpreact = bngain * bnraw + bnbias
dbnvar = -0.5 * (bnvar + 1e-5) ** -1.5 * dbnvar_inv
dbndiff2 = torch.ones_like(bndiff2) / bndiff.shape[0] * dbnvar
dbndiff = bnvar_inv * dbnraw + 2 * bndiff * dbndiff2
dbnmeani = -dbndiff.sum(0, keepdim=True)
dhprebn = dbndiff + dbnmeani
