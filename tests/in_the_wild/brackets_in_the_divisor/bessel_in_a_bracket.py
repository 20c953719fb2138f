"""Bessel's correction without brackets, inside the bracket of batch norm.

lesson: 05
dhprebn: failed | only `n` divides: without brackets, what follows it is no part of the divisor. Divided by `n - 1`, your
    `dhprebn` is right.
others: passed
"""


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    sums = dhpreact.sum(0), (dhpreact * bnraw).sum(0)
    return bngain * bnvar_inv / n * (n * dhpreact - sums[0] - n / n - 1 * bnraw * sums[1])
