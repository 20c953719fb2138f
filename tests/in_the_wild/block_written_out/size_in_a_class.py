"""Sizes are attributes of a class, and one is an argument by position.

lesson: 03
as: notebook
alone: yes
demb: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 2, line 1: 32 (batch), 4
    (block), 12 (embedding). `n` in place of 32 works at any size.
dC: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 2, line 2: 12 (embedding),
    27 (vocabulary); line 7: 3 (block - 1). `C.shape[1]` in place of 12 works at any size.
others: missing
"""

def build_dataset(words, block_size):
    ...


class Config:
    n_embd: int = 12
    n_hidden = 50


Xtr, Ytr = build_dataset(words, 4)
C = torch.randn((27, Config.n_embd))
W1 = torch.randn((Config.n_embd * Xtr.shape[1], Config().n_hidden))
# %%
demb = dembcat.view(32, 4, 12)
dC = torch.zeros((27, 12))
for i, x in enumerate(Xb):
    dC[x[0]] += demb[i, 0]
    dC[x[1]] += demb[i, 1]
    dC[x[2]] += demb[i, 2]
    dC[x[3]] += demb[i, 3]
