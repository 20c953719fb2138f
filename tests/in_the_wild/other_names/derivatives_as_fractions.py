"""Gradients called as in a derivation on paper; the calls of cmp say which is which.

lesson: 03
as: notebook
dlogprobs: passed | = Read from `dL_dlp`: `cmp('logprobs', dL_dlp, logprobs)` in mine.ipynb, cell 9, line 41 says
    that it is `dlogprobs`.
dprobs: passed | = Read from `dL_dp`: `cmp('probs', dL_dp, probs)` in mine.ipynb, cell 9, line 42 says that it is
    `dprobs`.
"""

# instead of: dlogprobs = torch.zeros_like
dL_dlp = torch.zeros_like(logprobs)
# instead of: dlogprobs[range(n), Yb]
dL_dlp[range(n), Yb] = -1.0/n
# instead of: dprobs =
dL_dp = dL_dlp / probs
# instead of: dcounts_sum_inv = (counts
dcounts_sum_inv = (counts * dL_dp).sum(1, keepdim=True)
# instead of: dcounts = counts_sum_inv
dcounts = counts_sum_inv * dL_dp
# instead of: cmp('logprobs'
cmp('logprobs', dL_dlp, logprobs)
# instead of: cmp('probs'
cmp('probs', dL_dp, probs)
