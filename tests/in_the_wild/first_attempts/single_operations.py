"""The upstream gradient and the local derivative are combined, but not as the chain rule does.

lesson: 01
dz: failed | = In `da - a**2`, the term `a**2` lacks the factor `da`; with it, your `dz` is right. What is the local
    derivative of the forward line?
dbase: failed | = `-0.5 * base**-1.5 + dpower` adds. If it multiplies, your `dbase` is right. What is the local
    derivative of the forward line?
others: passed
"""

def dz(da, a):
    return da - a**2


def dbase(dpower, base):
    return -0.5 * base**-1.5 + dpower
