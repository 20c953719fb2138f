"""A variable near the name `dlogits` holds the gradient of the maxima, scattered: it is not suggested for `dlogits`.

lesson: 04
as: notebook
alone: yes
dlogits: missing | = mine.ipynb assigns `dlogits` for another exercise only, and not again for this one.
in_one_go: any
"""

# %%
import torch
dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0 / n
dprobs = dlogprobs / probs
dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
dcounts_sum = -counts_sum**-2 * dcounts_sum_inv
dcounts = counts_sum_inv * dprobs + dcounts_sum
dnorm_logits = counts * dcounts
dlogit_maxes = -dnorm_logits.sum(1, keepdim=True)
dlogits = dnorm_logits.clone()
dlogit_maxes_grad = torch.zeros_like(logits)
dlogit_maxes_grad[range(n), logits.argmax(1)] = dlogit_maxes.view(-1)
dlogits += dlogit_maxes_grad
