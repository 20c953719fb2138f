"""A name of the lesson for another of its values: `hpreact` before batch norm, where the lesson has `hprebn`.

lesson: 03
as: script
alone: yes
dhprebn: passed | = Read from `dhpreact`: your `hpreact` is this exercise's `hprebn`.
dhpreact: missing | Your `dhpreact` is read as `dhprebn`
dW1: passed
db1: passed
others: missing
"""
import torch

emb = C[Xb]
embcat = emb.view(emb.shape[0], -1)
hpreact = embcat @ W1 + b1
bnmeani = hpreact.sum(0, keepdim=True) / n
dhpreact = dbndiff + dbnmeani / n
dW1 = embcat.T @ dhpreact
db1 = dhpreact.sum(0)
