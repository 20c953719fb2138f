"""`.indices` and `.values` misspelled.

lesson: 03
dlogits: error | Do you mean `.indices`?
db2: error | Do you mean `.values`?
"""


def dlogits(dnorm_logits, dlogit_maxes, logits):
    return dnorm_logits + F.one_hot(logits.max(1).inidces, num_classes=logits.shape[1]) * dlogit_maxes


def db2(dlogits):
    return dlogits.max(0).vals
