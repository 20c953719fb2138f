"""The local derivative of a product alone, where the upstream gradient is random.

lesson: 01
du: failed
dv: failed
dpositive: failed
"""


def du(v):
    return v


def dv(u):
    return u


def dpositive(positive):
    return 1 / positive
