"""Exercise 4 alone: a loop that trains. Its calibration of batch norm has no place in the notebook.

lesson: 07
as: notebook
keeps: import torch | # Exercise 4
counts: 04 05 07
dW2: passed
db2: passed
dbngain: passed
dbnbias: passed
dW1: passed
db1: passed
dC: passed
loss: passed
others: missing | The lecture's notebook has no such row.
"""
