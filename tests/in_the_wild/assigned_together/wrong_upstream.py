"""Both are assigned in one line, and the upstream gradient has the wrong sign there: the other line is right.

lesson: 03
as: notebook
dlogit_maxes: failed | The sign is flipped
"""
# instead of: dlogits = dnorm_logits.clone()
dlogits, dlogit_maxes = dnorm_logits.clone(), dnorm_logits.sum(1, keepdim=True)
# instead of: dlogit_maxes =

