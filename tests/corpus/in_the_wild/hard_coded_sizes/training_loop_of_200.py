"""In the training loop, with its 200 hidden units: the whole loop has the sizes as numbers.

lesson: 07
as: notebook
by: both
others: missing
dW2, db2, dbngain, dbnbias, dW1, db1, loss: passed | 32 (batch)
dC: passed | = Right at your notebook's own sizes. Sizes are hard-coded in mine.ipynb, cell 14, line 37: 32 (batch);
    line 64: 96 (batch × block), 10 (embedding), 27 (vocabulary). `Xb.shape[0]` in place of 32 works at any size.
"""
# instead of: loss = F.cross_entropy
loss = -F.log_softmax(logits, 1)[torch.arange(32), Yb].sum() / 32
# instead of: grads =
dC = F.one_hot(Xb.view(96), 27).to(demb.dtype).T @ demb.view(96, 10)
grads = [dC, dW1, db1, dW2, db2, dbngain, dbnbias]
