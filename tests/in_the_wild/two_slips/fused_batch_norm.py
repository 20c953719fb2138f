"""Batch norm in one expression, with n + 1 for n - 1 and another sign.

lesson: 05
by: both
dhprebn: failed | = The value is wrong: the error is 0.7 of the gradient's size. Worst element [4, 4]: found
    0.918213795, expected -0.167082687. Typically it is 0.98 times the gradient (half of its elements between 0.609
    and 1.22 times; correlation 0.82).
"""


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    return bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0) + n / (n + 1) * bnraw * (dhpreact * bnraw).sum(0))
