"""The text of the comparison names one value, its tensor is another, and neither has a gradient: nothing is guessed.

lesson: 03
as: notebook
dcounts_sum_inv: missing | = mine.ipynb assigns no `dcounts_sum_inv`. `a` is compared with the gradients of `counts_sum_inv`
    and `counts_sum` (mine.ipynb, cell 9, line 43), so it is taken for neither. Give each gradient a variable of its own.
dcounts_sum: missing | = mine.ipynb assigns no `dcounts_sum`. `a` is compared with the gradients of `counts_sum_inv`
    and `counts_sum` (mine.ipynb, cell 9, line 43), so it is taken for neither. Give each gradient a variable of its own.
dcounts: any
"""

# instead of: dcounts_sum_inv = (counts
a = (counts * dprobs).sum(1, keepdim=True)
# instead of: dcounts_sum =
b = (-counts_sum**-2) * a
# instead of: dcounts +=
dcounts += torch.ones_like(counts) * b
# instead of: cmp('counts_sum_inv'
cmp('counts_sum_inv', a, counts_sum)
# instead of: cmp('counts_sum'
print(b)
