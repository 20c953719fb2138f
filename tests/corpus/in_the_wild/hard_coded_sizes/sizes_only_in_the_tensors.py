"""A script without a name for the vocabulary's size: it is in the shapes of its tensors, and again in the gradient.

lesson: 04
as: script
alone: yes
dlogits: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.py, line 9: 40 (vocabulary).
    `logits.shape[1]` in place of 40 works at any size.
in_one_go: passed
"""
import torch

W2, C = torch.randn(50, 40), torch.randn(40, 10)
ix = torch.randint(0, 1000, (24,))
Xb, Yb = Xtr[ix], Ytr[ix]

# exercise 2
dlogits = torch.softmax(logits, 1)
dlogits -= torch.eye(40)[Yb]
dlogits = dlogits / n
