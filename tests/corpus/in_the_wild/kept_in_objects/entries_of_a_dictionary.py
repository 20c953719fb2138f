"""Two gradients are entries of a dictionary; the one before them is a variable.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
dlogprobs: passed
dprobs: missing | = `grads['probs']` (mine.ipynb, cell 5, line 4) is part of an object, which is not read: assign it to a
    variable `dprobs`.
dcounts_sum_inv: missing | = `grads['dcounts_sum_inv']` (mine.ipynb, cell 5, line 5) is part of an object, which is not
    read: assign it to a variable `dcounts_sum_inv`.
others: missing
"""
grads = {}
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0 / n
grads["probs"] = dlogprobs / probs
grads["dcounts_sum_inv"] = (counts * grads["probs"]).sum(1, keepdim=True)
