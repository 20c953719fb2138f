"""A power is written with ^, which is Python's exclusive or.

lesson: 01
dz: error | exclusive or
"""


def dz(da, a):
    return (1.0 - a ^ 2) * da
