"""Bessel's correction without brackets, inside the bracket of batch norm.

lesson: 05
dhprebn: failed | = In `n * dhpreact - sums[0] - n / n - 1 * bnraw * sums[1]`, what follows the divisor is no part of
    it, because there are no brackets. With brackets around the whole divisor, your `dhprebn` is right.
others: passed
"""


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    sums = dhpreact.sum(0), (dhpreact * bnraw).sum(0)
    return bngain * bnvar_inv / n * (n * dhpreact - sums[0] - n / n - 1 * bnraw * sums[1])
