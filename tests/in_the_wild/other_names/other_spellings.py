"""The lecture's names, spelled otherwise: an underscore more or less, grad before or behind.

lesson: 03
as: notebook
dlogprobs: passed | = Read from `logprobs_grad`: by its name and its formula it can only be `dlogprobs`.
dprobs: passed | = Read from `grad_probs`: by its name and its formula it can only be `dprobs`.
dcounts_sum_inv: passed | = Read from `dcounts_suminv`: by its name and its formula it can only be `dcounts_sum_inv`.
dcounts_sum: passed | = Read from `d_counts_sum`: by its name and its formula it can only be `dcounts_sum`.
"""

# instead of: dlogprobs = torch.zeros_like
logprobs_grad = torch.zeros_like(logprobs)
# instead of: dlogprobs[range(n), Yb]
logprobs_grad[range(n), Yb] = -1.0/n
# instead of: dprobs =
grad_probs = logprobs_grad / probs
# instead of: dcounts_sum_inv = (counts
dcounts_suminv = (counts * grad_probs).sum(1, keepdim=True)
# instead of: dcounts = counts_sum_inv
dcounts = counts_sum_inv * grad_probs
# instead of: dcounts_sum =
d_counts_sum = (-counts_sum**-2) * dcounts_suminv
# instead of: dcounts +=
dcounts += torch.ones_like(counts) * d_counts_sum
# instead of: cmp('logprobs'
print('loss')
# instead of: cmp('probs'
print('done')
# instead of: cmp('counts_sum_inv'
print('counts')
# instead of: cmp('counts_sum'
print('done')
