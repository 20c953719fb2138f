"""The notebook's context has four characters, and only three of them are written out.

lesson: 03
as: notebook
alone: yes
dC: failed | 17 of 27 rows are wrong
others: missing
"""

block_size = 4
# %%
dC = torch.zeros_like(C)
for i, x in enumerate(Xb):
    dC[x[0]] += demb[i, 0]
    dC[x[1]] += demb[i, 1]
    dC[x[2]] += demb[i, 2]
