"""n - 1 without brackets, as the first factor and in the middle of a sum.

lesson: 03
dbndiff2: failed | = In `1 / n - 1 * dbnvar * torch.ones_like(bndiff2)`, brackets are missing: powers come
    first, then products and quotients, then sums and differences. With brackets around the right part, your
    `dbndiff2` is right.
others: passed
"""


def dbndiff2(dbnvar, bndiff2, n):
    return 1 / n - 1 * dbnvar * torch.ones_like(bndiff2)
