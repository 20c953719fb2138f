"""Bessel's correction without brackets, inside the bracket of batch norm.

lesson: 05
dhprebn: failed | so each column of the gradient adds up to zero
others: passed
"""


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    sums = dhpreact.sum(0), (dhpreact * bnraw).sum(0)
    return bngain * bnvar_inv / n * (n * dhpreact - sums[0] - n / n - 1 * bnraw * sums[1])
