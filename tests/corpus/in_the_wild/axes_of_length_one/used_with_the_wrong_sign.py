"""A line that is written for a gradient without its second axis, and subtracts it.

lesson: 03
as: notebook
dlogit_maxes: passed | has shape (32,)
dlogits: failed | In your `dlogits`, the part that comes through `logit_maxes` has the wrong sign. Gradients of all
"""
# instead of: dlogit_maxes =
dlogit_maxes = -dnorm_logits.sum(1)
# instead of: dlogits += F.one_hot
dlogits[range(n), logits.max(1).indices] -= dlogit_maxes
