"""The learner changed batch, block, embedding and hidden sizes, and writes the new ones as numbers.

lesson: 03
as: notebook
demb: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 9, line 65: 48 (batch), 4
    (block), 16 (embedding). `n` in place of 48 works at any size.
dC: passed | 192 (batch × block)
dbndiff2: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 9, line 26: 47
    (batch - 1).
"""
# instead of: block_size = 3
block_size = 4
# instead of: n_hidden = 64
n_embd, n_hidden = 16, 120
# instead of: n = batch_size #
batch_size = 48
n = batch_size
# instead of: dbndiff2 =
dbndiff2 = torch.ones_like(bndiff2) * dbnvar / 47
# instead of: cmp('emb',
demb = dembcat.reshape((48, 4, 16))
# instead of: cmp('C',
dC = torch.zeros_like(C)
for i in range(192):
  dC[Xb.view(-1)[i]] += demb.reshape(192, 16)[i]
