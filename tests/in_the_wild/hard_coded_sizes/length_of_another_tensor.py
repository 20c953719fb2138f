"""Exercise 2 takes the number of classes, and the number of examples, from tensors that its own lesson does not have.

lesson: 04
as: notebook
keeps: import torch | n_embd | # utility function | batch_size | emb = C[Xb]
others: passed
"""

n_classes = len(b2)
dlogits = F.softmax(logits, 1) - F.one_hot(Yb, num_classes=C.shape[0])
dlogits = dlogits / Xb.size(0) * n_classes / W2.shape[-1]
