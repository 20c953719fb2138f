"""The forward pass flattens with einops, and nothing compares the gradients.

lesson: 03
as: script
alone: yes
demb: missing
dembcat: passed | Read from `demb`
dhprebn: passed
dW1: passed
others: missing
"""
from einops import rearrange
import torch

emb = rearrange(C[Xb], 'b t e -> b (t e)')
hprebn = emb @ W1 + b1
dhprebn = dbndiff + dbnmeani / n
demb = dhprebn @ W1.T
dW1 = emb.T @ dhprebn
