"""Both answers for the logits have a word of the student's own behind the lecture's name, and nothing compares them.

lesson: 04
as: notebook
alone: yes
dlogits: passed | = Read from `dlogits_simple`: by its name and its formula it can only be `dlogits`.
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
dlogits_autograd = logits.grad
dlogits_simple = F.softmax(logits, 1)
dlogits_simple[range(n), Yb] -= 1
dlogits_simple /= n
print((dlogits_stepwise - dlogits_simple).abs().max())
