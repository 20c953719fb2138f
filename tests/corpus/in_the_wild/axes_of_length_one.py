# lesson: 03
# as: notebook

# === both_size_and_shape: A hard-coded size and a missing axis in one line.
# dbnmeani: passed | = The numbers are right. `dbnmeani` has shape (64,), `bnmeani` has shape (1, 64). Lines that
#     use it may broadcast it differently. Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 9, line 29:
#     32 (batch). `n` in place of 32 works at any size.

# instead of: dbnmeani =
dbnmeani = -torch.ones(32) @ dbndiff

# === column_without_keepdim: Gradients of (32, 1) without their second axis: the numbers are right, and lines that
#     use them break.
# dcounts_sum_inv: passed | = The numbers are right. `dcounts_sum_inv` has shape (32,), `counts_sum_inv` has shape
#     (32, 1). Lines that use it may broadcast it differently.

# instead of: dcounts_sum_inv =
dcounts_sum_inv = (counts * dprobs).sum(1)

# === used_with_the_wrong_sign: A line that is written for a gradient without its second axis, and subtracts it.
# dlogit_maxes: passed | has shape (32,)
# dlogits: failed | In your `dlogits`, the part that comes through `logit_maxes` has the wrong sign. Gradients of all

# instead of: dlogit_maxes =
dlogit_maxes = -dnorm_logits.sum(1)
# instead of: dlogits += F.one_hot
dlogits[range(n), logits.max(1).indices] -= dlogit_maxes
