"""Rounded by a function of torch, and as whole numbers.

lesson: 01
by: both
dpositive: failed | = When `dlogarithm` is multiplied by −2, `dpositive` must be multiplied by −2, too; yours is not. In
    a gradient, each term has exactly one upstream gradient as a factor, and nothing else is done with it than to sum
    it, copy it or multiply it by forward values.
db: shape | = The numbers are int64; a gradient needs floating point: start from `zeros_like(...)`, say.
"""

def dpositive(dlogarithm, positive):
    return torch.round(dlogarithm / positive, decimals=2)


def db(dz):
    return dz.sum(0).to(torch.int64)
