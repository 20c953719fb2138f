"""Another case.

lesson: 02
by: dojo
dgamma: missing | = There is no function `dgamma`; did you mean `dGamma`? Rename it.
others: passed
"""

def dGamma(dh_bn, h_norm):
    return (dh_bn * h_norm).sum(0)


del dgamma
