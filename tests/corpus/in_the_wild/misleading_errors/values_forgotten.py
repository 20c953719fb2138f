"""A tensor times what `max` returns along an axis: `.values` is forgotten.

lesson: 03
dlogits: error | is `.values` or `.indices` missing behind one?
"""


def dlogits(dnorm_logits, dlogit_maxes, logits):
    return dnorm_logits + dlogit_maxes * logits.max(1, keepdim=True)
