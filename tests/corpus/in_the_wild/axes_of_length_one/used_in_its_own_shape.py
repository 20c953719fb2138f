"""A gradient of (32, 1) without its second axis, and a line that is right for that shape alone.

lesson: 03
as: notebook
by: both
dlogit_maxes: passed | has shape (32,)
dlogits: passed | = Right with `dlogit_maxes` of shape (32,), as in your notebook. With the shape of `logit_maxes`,
    (32, 1), this line fails.
"""
# instead of: dlogit_maxes =
dlogit_maxes = -dnorm_logits.sum(1)
# instead of: dlogits += F.one_hot
dlogits[range(n), logits.max(1).indices] += dlogit_maxes
