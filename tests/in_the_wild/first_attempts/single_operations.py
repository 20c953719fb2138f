"""The upstream gradient and the local derivative are combined, but not as the chain rule does.

lesson: 01
dz: failed | When `da` is multiplied by −2, `dz` must be multiplied by −2, too; yours is not.
dbase: failed | = In `-0.5 * base**-1.5 + dpower`, another operation belongs between `-0.5 * base**-1.5` and `dpower`.
    With it, your `dbase` is right. What is the local derivative of the forward line?
others: passed
"""

def dz(da, a):
    return da - a**2


def dbase(dpower, base):
    return -0.5 * base**-1.5 + dpower
