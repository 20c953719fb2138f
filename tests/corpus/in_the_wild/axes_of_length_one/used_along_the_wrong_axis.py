"""A gradient without its second axis is used as a row: the line is right neither for (32,) nor for (32, 1).

lesson: 03
as: notebook
dlogit_maxes: passed | has shape (32,)
dlogits: error
"""
# instead of: dlogit_maxes =
dlogit_maxes = -dnorm_logits.sum(1)
# instead of: dlogits += F.one_hot
dlogits += F.one_hot(logits.max(1).indices, logits.shape[1]) * dlogit_maxes[None, :]
