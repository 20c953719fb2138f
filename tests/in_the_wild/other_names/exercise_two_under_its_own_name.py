"""Exercise 2 into a variable of its own, compared with the gradient of logits; the chain has dlogits.

lesson: 04
as: notebook
alone: yes
dlogits: passed | = Read from `fast`: `cmp('logits', fast, logits)` in mine.ipynb, cell 2, line 4 says that it is
    `dlogits`.
"""

# %%
import torch
import torch.nn.functional as F
dnorm_logits = counts * dcounts
dlogits = dnorm_logits.clone()
dlogit_maxes = (-dnorm_logits).sum(1, keepdim=True)
dlogits += F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * dlogit_maxes
cmp('logits', dlogits, logits)
# %%
fast = F.softmax(logits, 1)
fast = fast - F.one_hot(Yb, logits.shape[1])
fast = fast / n
cmp('logits', fast, logits)
