"""The same, where the division by the number of examples is forgotten.

lesson: 04
as: notebook
alone: yes
dlogits: failed | Read from `dlogits_in_three_lines`: by its name and its formula it can only be `dlogits`.
in_one_go: any
"""

# %%
import torch
import torch.nn.functional as F
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0 / n
dprobs = dlogprobs / probs
dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
dcounts_sum = -counts_sum**-2 * dcounts_sum_inv
dcounts = counts_sum_inv * dprobs + dcounts_sum
dnorm_logits = counts * dcounts
dlogit_maxes = -dnorm_logits.sum(1, keepdim=True)
dlogits_stepwise = dnorm_logits + F.one_hot(logits.argmax(1), logits.shape[1]) * dlogit_maxes
# %%
dlogits_in_three_lines = F.softmax(logits, 1)
dlogits_in_three_lines[range(n), Yb] -= 1
