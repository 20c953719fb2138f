"""dbnmeani from dbnraw: the branch through the variance adds up to zero over the batch.

lesson: 03
dbnmeani: passed | = Right, but it skips a step: it is computed from gradients further up than the next one.
"""


def dbnmeani(dbnraw, bnvar_inv):
    return -(bnvar_inv * dbnraw).sum(0, keepdim=True)
