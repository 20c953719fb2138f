"""A near-miss without any comparison: one variable has almost the name, and its formula is the one that is missing.

lesson: 03
as: notebook
dlogit_maxes: passed | = Read from `dlogits_maxes`: by its name and its formula it can only be `dlogit_maxes`.
dbnmeani: passed | = Read from `dbnmean`: by its name and its formula it can only be `dbnmeani`.
"""

# instead of: dlogit_maxes =
dlogits_maxes = (-dnorm_logits).sum(1, keepdim=True)
# instead of: dlogits += F.one_hot
dlogits += F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * dlogits_maxes
# instead of: dbnmeani =
dbnmean = (-dbndiff).sum(0, keepdim=True)
# instead of: dhprebn += 1.0/n
dhprebn += 1.0/n * (torch.ones_like(hprebn) * dbnmean)
# instead of: cmp('logit_maxes'
print(dlogits_maxes.shape)
# instead of: cmp('bnmeani'
print(dbnmean.shape)
