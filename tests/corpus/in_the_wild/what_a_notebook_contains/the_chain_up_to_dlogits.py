"""Somebody stopped at `dlogits`: the other rows of lesson 03 are open, and no other lesson counts.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
counts: 03
dlogprobs, dprobs, dcounts_sum_inv, dcounts, dcounts_sum, dnorm_logits, dlogit_maxes, dlogits: passed
others: missing | mine.ipynb assigns no `d
"""

# %%
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0/n
dprobs = (1.0 / probs) * dlogprobs
dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
dcounts = counts_sum_inv * dprobs
dcounts_sum = (-counts_sum**-2) * dcounts_sum_inv
dcounts += torch.ones_like(counts) * dcounts_sum
dnorm_logits = counts * dcounts
dlogits = dnorm_logits.clone()
dlogit_maxes = (-dnorm_logits).sum(1, keepdim=True)
dlogits += F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * dlogit_maxes
