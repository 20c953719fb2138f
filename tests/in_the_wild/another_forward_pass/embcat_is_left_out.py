"""The forward pass has no `embcat`: it is flattened where it is multiplied, and again where its gradient is needed.

lesson: 03
as: script
alone: yes
demb: passed | it skips a step
dhprebn: passed
dW1: passed
dC: passed
others: missing
"""
import torch

emb = C[Xb]
hprebn = emb.view(n, -1) @ W1 + b1
dhprebn = dbndiff + dbnmeani / n
demb = (dhprebn @ W1.T).view(emb.shape)
dW1 = emb.view(n, -1).T @ dhprebn
dC = torch.zeros_like(C)
dC.index_add_(0, Xb.view(-1), demb.view(-1, C.shape[1]))
