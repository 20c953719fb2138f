"""The local derivative of log at its output, under another name: it is found, and it is wrong.

lesson: 03
as: notebook
dprobs: failed | Read from `dL_dp`: `cmp('probs', dL_dp, probs)` in mine.ipynb, cell 9, line 42 compares it with the gradient of `probs`.
"""

# instead of: dprobs =
dL_dp = dlogprobs / logprobs
# instead of: dcounts_sum_inv = (counts
dcounts_sum_inv = (counts * dL_dp).sum(1, keepdim=True)
# instead of: dcounts = counts_sum_inv
dcounts = counts_sum_inv * dL_dp
# instead of: cmp('probs'
cmp('probs', dL_dp, probs)
