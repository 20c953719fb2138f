"""Gain and bias have changed places.

lesson: 02
by: dojo
dgamma: failed | = Your `dgamma` is exactly the gradient of `beta`, and your `dbeta` that of `gamma`: the two have
    changed places.
dbeta: failed | = Your `dbeta` is exactly the gradient of `gamma`, and your `dgamma` that of `beta`: the two have
    changed places.
others: passed
"""

def dgamma(dh_bn):
    return dh_bn.sum(0)


def dbeta(dh_bn, h_norm):
    return (dh_bn * h_norm).sum(0)
