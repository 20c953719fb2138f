"""Exercise 3 with the batch size of the notebook, 20, and its correction as numbers.

lesson: 05
as: notebook
others: missing
dhprebn: passed | = Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 14, line 1: 20 (batch).
    `n` in place of 20 works at any size.
"""
# instead of: n = batch_size #
batch_size = 20
n = batch_size
# instead of: # Exercise 4
dhprebn = bngain*bnvar_inv * (dhpreact - dhpreact.mean(0) - bnraw*(dhpreact*bnraw).mean(0) * 20/19)
