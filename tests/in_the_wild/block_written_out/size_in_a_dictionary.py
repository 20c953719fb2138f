"""The size of the context is an entry of a dictionary.

lesson: 03
as: notebook
alone: yes
demb: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 2, line 1: 32 (batch), 4
    (block), 12 (embedding). `n` in place of 32 works at any size.
dC: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 2, line 2: 12 (embedding),
    27 (vocabulary); line 7: 3 (block - 1). `C.shape[1]` in place of 12 works at any size.
others: missing
"""

config = {"context": 4, "n_embd": 12, "n_hidden": 50}
C = torch.randn((27, config["n_embd"]))
W1 = torch.randn((config["n_embd"] * config["context"], config["n_hidden"]))
# %%
demb = dembcat.view(32, 4, 12)
dC = torch.zeros((27, 12))
for i, x in enumerate(Xb):
    dC[x[0]] += demb[i, 0]
    dC[x[1]] += demb[i, 1]
    dC[x[2]] += demb[i, 2]
    dC[x[3]] += demb[i, 3]
