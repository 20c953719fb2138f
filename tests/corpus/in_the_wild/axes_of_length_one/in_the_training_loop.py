"""In the training loop: gain and bias without their first axis, a bias with one.

lesson: 07
as: notebook
others: missing
dW2: passed
db2: passed | has shape (1, 27)
dbngain: passed | has shape (200,)
dbnbias: passed
dW1: passed
db1: passed
dC: passed
loss: passed
"""
# instead of: grads =
db2, dbngain = dlogits.sum(0, True), (bnraw * dhpreact).sum(0)
grads = [dC, dW1, db1, dW2, db2, dbngain, dbnbias]
