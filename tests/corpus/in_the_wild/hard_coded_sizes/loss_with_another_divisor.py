"""In the training loop the batch is a number, and the loss is divided by another one.

lesson: 07
as: notebook
by: both
others: missing
dW2: passed | 32 (batch)
db2: passed | 32 (batch)
dbngain: passed | 32 (batch)
dbnbias: passed | 32 (batch)
dW1: passed | 32 (batch)
db1: passed | 32 (batch)
dC: passed | 32 (batch)
loss: error
"""
# instead of: loss = F.cross_entropy
loss = -F.log_softmax(logits, 1)[torch.arange(32), Yb].sum() / 31
