"""A factor 2 is missing in one line. Twice the number in another line has the same effect, and that number is right.

lesson: 05
dhprebn: failed | In `dbnraw * bnvar_inv + bndiff * dbnvar / (n - 1)`, a term lacks a factor of 2, or of a half.
"""


def dhprebn(dhpreact, bngain, bnraw, bnvar_inv, n):
    bndiff = bnraw / bnvar_inv
    dbnraw = dhpreact * bngain
    dbnvar = -0.5 * bnvar_inv**3 * (dbnraw * bndiff).sum(0, keepdim=True)
    dbndiff = dbnraw * bnvar_inv + bndiff * dbnvar / (n - 1)
    return dbndiff - dbndiff.mean(0, keepdim=True)
