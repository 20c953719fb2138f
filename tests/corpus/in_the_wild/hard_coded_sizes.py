# === loss_with_another_divisor: In the training loop the batch is a number, and the loss is divided by another one.
# lesson: 07
# as: notebook
# by: both
# others: missing
# dW2, db2, dbngain, dbnbias, dW1, db1, dC: passed | 32 (batch)
# loss: error

# instead of: loss = F.cross_entropy
loss = -F.log_softmax(logits, 1)[torch.arange(32), Yb].sum() / 31

# === other_sizes_set_above: The learner changed batch, block, embedding and hidden sizes, and writes the new ones as
#     numbers.
# lesson: 03
# as: notebook
# demb: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 9, line 65: 48
#     (batch), 4 (block), 16 (embedding). `n` in place of 48 works at any size.
# dC: passed | 192 (batch × block)
# dbndiff2: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 9, line 26: 47
#     (batch - 1).

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

# === size_of_another_axis: As many hidden units as examples: `1/n` and `1/hprebn.shape[1]` are the same number here,
#     and no size is hard-coded.
# lesson: 03
# as: notebook
# dhprebn: failed
# dbndiff2: passed | 31 (batch - 1)

# instead of: n_hidden = 64
n_hidden = 32
# instead of: dbndiff2 =
dbndiff2 = torch.ones_like(bndiff2) * dbnvar / 31
# instead of: dhprebn +=
dhprebn += 1.0/hprebn.shape[1] * (torch.ones_like(hprebn) * dbnmeani)

# === training_loop_of_200: In the training loop, with its 200 hidden units: the whole loop has the sizes as numbers.
# lesson: 07
# as: notebook
# by: both
# others: missing
# dW2, db2, dbngain, dbnbias, dW1, db1, loss: passed | 32 (batch)
# dC: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 14, line 37: 32 (batch);
#     line 64: 96 (batch × block), 10 (embedding), 27 (vocabulary). `Xb.shape[0]` in place of 32 works at any size.

# instead of: loss = F.cross_entropy
loss = -F.log_softmax(logits, 1)[torch.arange(32), Yb].sum() / 32
# instead of: grads =
dC = F.one_hot(Xb.view(96), 27).to(demb.dtype).T @ demb.view(96, 10)
grads = [dC, dW1, db1, dW2, db2, dbngain, dbnbias]
