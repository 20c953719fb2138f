"""A branch that is reached and raises NotImplementedError is an error; one that is never reached is nothing.

lesson: 01
by: both
dexponent: error | = NotImplementedError. Your code raises this itself: the case that it stands for is not written yet.
closed_share: error | NotImplementedError. Your code raises this itself: the case that it stands for is not written yet.
"""


def dexponent(dexponential, exponential):
    if exponential.ndim == 2:
        raise NotImplementedError
    return dexponential * exponential


def closed_share(h, threshold):
    if h.ndim == 2:
        raise NotImplementedError
    return (h > threshold).float().mean().item()


def mean_gate(h):
    if h.ndim > 5:
        raise NotImplementedError
    return (1 - h**2).mean().item()
