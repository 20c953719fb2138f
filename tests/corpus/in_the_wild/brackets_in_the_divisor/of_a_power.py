"""A power comes before a division, so `x ** -3/2` is half of the inverse cube.

lesson: 03
dbnvar: failed | = In `-0.5 * dbnvar_inv * (bnvar + 1e-5) ** -3/2`, brackets are missing: powers come first,
    then products and quotients, then sums and differences. With brackets around the right part, your `dbnvar`
    is right.
others: passed
"""


def dbnvar(dbnvar_inv, bnvar):
    return -0.5 * dbnvar_inv * (bnvar + 1e-5) ** -3/2
