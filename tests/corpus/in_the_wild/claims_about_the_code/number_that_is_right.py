"""A factor 2 is missing in one line. Twice the number in another line has the same effect, and that number is right.

lesson: 05
dhprebn: failed | the part that comes back through `bnvar_inv` is exactly 1/2 times what it should be
"""


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    bndiff = bnraw / bnvar_inv
    dbnraw = dhpreact * bngain
    dbnvar = -0.5 * bnvar_inv**3 * (dbnraw * bndiff).sum(0, keepdim=True)
    dbndiff = dbnraw * bnvar_inv + bndiff * dbnvar / (n - 1)
    return dbndiff - dbndiff.mean(0, keepdim=True)
