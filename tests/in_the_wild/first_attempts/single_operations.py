"""The upstream gradient and the local derivative are combined, but not as the chain rule does.

lesson: 01
dz: failed | = Your `dz` is exactly `da` minus `a**2`. A forward value is never added to a gradient: `da` is
    multiplied by the derivative of `a` with respect to `z`.
dbase: failed | = In `-0.5 * base**-1.5 + dpower`, another operation belongs between `-0.5 * base**-1.5` and `dpower`.
    With it, your `dbase` is right. What is the local derivative of the forward line?
others: passed
"""

def dz(da, a):
    return da - a**2


def dbase(dpower, base):
    return -0.5 * base**-1.5 + dpower
