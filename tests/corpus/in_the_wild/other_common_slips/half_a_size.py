"""`n` where `n - 1` divides, on the inner path.

lesson: 03
by: dojo
dbndiff2: failed | Your `dbndiff2` is exactly (n−1)/n times the gradient
"""

def dbndiff2(dbnvar, bndiff2, n):
    return dbnvar.expand_as(bndiff2) / n
