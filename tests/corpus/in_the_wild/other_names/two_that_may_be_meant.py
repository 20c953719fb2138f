"""Two spellings of one name, both with a fitting formula, neither compared: it is not guessed.

lesson: 03
as: notebook
dprobs: missing | = mine.ipynb assigns no `dprobs`. `d_probs` and `grad_probs` may each be meant by it: call the one
    that counts `dprobs`.
dcounts_sum_inv: any
dcounts: any
"""

# instead of: dprobs =
d_probs = dlogprobs / probs
grad_probs = dlogprobs * probs
# instead of: dcounts_sum_inv = (counts
dcounts_sum_inv = (counts * d_probs).sum(1, keepdim=True)
# instead of: dcounts = counts_sum_inv
dcounts = counts_sum_inv * d_probs
# instead of: cmp('probs'
print('probs')
