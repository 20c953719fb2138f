"""Exercise 3 alone: lesson 05 also asks for a layer, which the notebook has no place for.

lesson: 05
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
counts: 03 05
dhprebn: passed
others: missing | The lecture's notebook has no such row.
"""

# %%
dhpreact = (1.0 - h**2) * ((F.softmax(logits, 1) - F.one_hot(Yb, vocab_size)) / n @ W2.T)
dhprebn = bngain*bnvar_inv/n * (n*dhpreact - dhpreact.sum(0) - n/(n-1)*bnraw*(dhpreact*bnraw).sum(0))
