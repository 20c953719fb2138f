"""`n` where `n - 1` divides, on the inner path.

lesson: 03
by: dojo
dbndiff2: failed | In `dbnvar.expand_as(bndiff2) / n`, `n` is not quite what the forward pass divides by: look at Bessel's correction
"""

def dbndiff2(dbnvar, bndiff2, n):
    return dbnvar.expand_as(bndiff2) / n
