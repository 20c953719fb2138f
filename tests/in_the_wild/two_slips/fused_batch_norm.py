"""Batch norm in one expression, with n + 1 for n - 1 and another sign.

lesson: 05
by: both
dhprebn: failed | = Change two things, and your `dhprebn` is right: the number 1 in `n + 1`,
    and the sign before `n / (n + 1) * bnraw * (dhpreact * bnraw).sum(0)`.
"""


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    return bngain * bnvar_inv / n * (n * dhpreact - dhpreact.sum(0) + n / (n + 1) * bnraw * (dhpreact * bnraw).sum(0))
