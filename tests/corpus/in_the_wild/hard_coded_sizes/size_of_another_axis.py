"""As many hidden units as examples: `1/n` and `1/hprebn.shape[1]` are the same number here, and no size is hard-coded.

lesson: 03
as: notebook
dhprebn: failed
dbndiff2: passed | 31 (batch - 1)
"""
# instead of: n_hidden = 64
n_hidden = 32
# instead of: dbndiff2 =
dbndiff2 = torch.ones_like(bndiff2) * dbnvar / 31
# instead of: dhprebn +=
dhprebn += 1.0/hprebn.shape[1] * (torch.ones_like(hprebn) * dbnmeani)
