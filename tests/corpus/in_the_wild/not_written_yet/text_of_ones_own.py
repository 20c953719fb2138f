"""A stub whose error has the student's own text is a stub: one file, one verdict.

lesson: 01
by: both
dp, dq, du, dv, closed_share: todo
dpositive: error | NotImplementedError: only for two axes
"""


def dp(dadded):
    # first the others
    raise NotImplementedError("TODO")


def dq(dadded):
    """Not today."""
    raise NotImplementedError()


def later():
    raise NotImplementedError("later")


def du(dproduct, v):
    return later()


def dv(dproduct, u):
    local = u * 1
    raise NotImplementedError("what now?")
    return local


def dpositive(dlogarithm, positive):
    if positive.ndim == 3:
        return dlogarithm / positive
    raise NotImplementedError("only for two axes")


def closed_share(h, threshold):
    raise NotImplementedError("TODO: count them")
