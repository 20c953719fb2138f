"""Three gradients of (32, 1) without their second axis, two in a row; the last line has a size as a number.

lesson: 03
as: notebook
dcounts_sum_inv: passed | has shape (32,)
dcounts_sum: passed | Right with `dcounts_sum_inv` of shape (32,)
dcounts: passed | Right with `dcounts_sum` of shape (32,)
dlogit_maxes: passed | has shape (32,)
dlogits: passed | = Right with `dlogit_maxes` of shape (32,), as in your notebook. With the shape of `logit_maxes`,
    (32, 1), this line fails. Right at your notebook's own sizes. A size is hard-coded in mine.ipynb, cell 9, line 15:
    27 (vocabulary). `C.shape[0]` in place of 27 works at any size.
"""
# instead of: dcounts_sum_inv =
dcounts_sum_inv = (counts * dprobs).sum(1)
# instead of: dcounts_sum =
dcounts_sum = -counts_sum.squeeze() ** -2 * dcounts_sum_inv
# instead of: dcounts +=
dcounts += dcounts_sum[:, None]
# instead of: dlogit_maxes =
dlogit_maxes = -dnorm_logits.sum(1)
# instead of: dlogits += F.one_hot
dlogits += F.one_hot(logits.max(1).indices, 27) * dlogit_maxes[:, None]
