"""An option that has two sizes says nothing, so the lecture's size counts.

lesson: 03
as: notebook
alone: yes
demb: passed
dC: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 2, line 4: 3 parts written
    one by one (block). A loop over `range(Xb.shape[1])` works at any size.
others: missing
"""

small = {"block_size": 4}
large = {"block_size": 8}
# %%
demb = dembcat.view(emb.shape)
dC = torch.zeros_like(C)
for i, x in enumerate(Xb):
    dC[x[0]] += demb[i, 0]
    dC[x[1]] += demb[i, 1]
    dC[x[2]] += demb[i, 2]
