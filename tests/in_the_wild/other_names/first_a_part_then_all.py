"""The first branch has a name of its own and is compared too early; the sum of both branches is the answer.

lesson: 03
as: notebook
dcounts: passed | = Read from `dc_all`: `cmp('counts', dc_all, counts)` in mine.ipynb, cell 9, line 46 says that it
    is `dcounts`.
"""

# instead of: dcounts = counts_sum_inv
dc_direct = counts_sum_inv * dprobs
cmp('counts', dc_direct, counts) # False: a branch is missing
# instead of: dcounts +=
dc_all = dc_direct + torch.ones_like(counts) * dcounts_sum
# instead of: dnorm_logits =
dnorm_logits = counts * dc_all
# instead of: cmp('counts',
cmp('counts', dc_all, counts)
