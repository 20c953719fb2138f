"""A factor in front of the first term only, with quotients in it.

lesson: 05
by: both
dhprebn: failed | = In `bngain * bnvar_inv / n * n * dhpreact - dhpreact.sum(0) - n / (n - ...`, brackets are
    missing: powers come first, then products and quotients, then sums and differences. With brackets around the
    right part, your `dhprebn` is right.
dvar: failed | = In `dxhat * (x - mean) * -0.5 * var + 1e-5 ** -1.5`, brackets are missing: powers come first,
    then products and quotients, then sums and differences. With brackets around the right part, your `dvar` is
    right.
"""


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    return bngain * bnvar_inv / n * n * dhpreact - dhpreact.sum(0) - n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0)


def dvar(dxhat, x, mean, var):
    return (dxhat * (x - mean) * -0.5 * var + 1e-5 ** -1.5).sum(0)
