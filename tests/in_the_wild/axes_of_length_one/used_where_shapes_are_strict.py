"""The course asks for exact shapes: then a line is fed gradients of their values' shapes only.

lesson: 03
as: notebook
course: shape = "strict"
dlogit_maxes: shape
dlogits: error
"""
# instead of: dlogit_maxes =
dlogit_maxes = -dnorm_logits.sum(1)
# instead of: dlogits += F.one_hot
dlogits[range(n), logits.max(1).indices] += dlogit_maxes
