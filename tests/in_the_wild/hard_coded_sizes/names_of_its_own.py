"""Vocabulary, batch and hidden size have other names than in the lecture. No size is a number in the gradients.

lesson: 03
as: script
alone: yes
others: missing | assigns no
dlogits: passed
dbndiff2: passed
"""
import torch
import torch.nn.functional as F

words = open("names.txt").read().splitlines()
V, B, K = len(set("".join(words))) + 1, 32, 64
C = torch.randn((V, 10))
W1 = torch.randn((30, K)) * 0.3
ix = torch.randint(0, Xtr.shape[0], (B,))
Xb, Yb = Xtr[ix], Ytr[ix]

dlogits = dnorm_logits + F.one_hot(logits.max(1).indices, V) * dlogit_maxes
dbndiff2 = dbnvar * torch.ones(B, K) / (B - 1)
