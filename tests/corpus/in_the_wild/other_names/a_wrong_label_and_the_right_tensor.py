"""A label left from the line above: the tensor says whose gradient it is, and the label's own has another variable.

lesson: 03
as: notebook
dprobs: passed | = Read from `dL_dp`: `cmp('logprobs', dL_dp, probs)` in mine.ipynb, cell 9, line 42 compares it with
    the gradient of `probs`.
"""

# instead of: dprobs =
dL_dp = dlogprobs / probs
# instead of: dcounts_sum_inv = (counts
dcounts_sum_inv = (counts * dL_dp).sum(1, keepdim=True)
# instead of: dcounts = counts_sum_inv
dcounts = counts_sum_inv * dL_dp
# instead of: cmp('probs'
cmp('logprobs', dL_dp, probs)
