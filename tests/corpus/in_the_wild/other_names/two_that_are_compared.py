"""Two variables are compared with the same gradient, and neither is made from the other: it is not guessed.

lesson: 03
as: notebook
dprobs: missing | = `first_try` and `second_try` are both compared with this gradient: call the one that counts
    `dprobs`.
"""

# instead of: dprobs =
first_try = dlogprobs * probs
second_try = dlogprobs / probs
# instead of: dcounts_sum_inv = (counts
dcounts_sum_inv = (counts * second_try).sum(1, keepdim=True)
# instead of: dcounts = counts_sum_inv
dcounts = counts_sum_inv * second_try
# instead of: cmp('probs'
cmp('probs', first_try, probs)
cmp('probs', second_try, probs)
