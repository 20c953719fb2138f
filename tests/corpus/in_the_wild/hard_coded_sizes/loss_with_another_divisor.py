"""In the training loop the batch is a number, and the loss is divided by another one.

lesson: 07
as: notebook
by: both
others: missing
dW2, db2, dbngain, dbnbias, dW1, db1, dC: passed | 32 (batch)
loss: error
"""
# instead of: loss = F.cross_entropy
loss = -F.log_softmax(logits, 1)[torch.arange(32), Yb].sum() / 31
