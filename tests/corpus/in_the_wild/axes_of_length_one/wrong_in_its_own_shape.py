"""A gradient without its second axis has the wrong sign. The line that uses it in this shape is right.

lesson: 03
as: notebook
dlogit_maxes: failed | The sign is flipped
dlogits: passed | Right with `dlogit_maxes` of shape (32,)
"""
# instead of: dlogit_maxes =
dlogit_maxes = dnorm_logits.sum(1)
# instead of: dlogits += F.one_hot
dlogits[range(n), logits.max(1).indices] += dlogit_maxes
