"""`n` where `n - 1` divides, on the inner path.

lesson: 03
by: dojo
dbndiff2: failed | = Your `dbndiff2` is exactly (n−1)/n times what it should be (here 0.96875). Which number
    takes its place?
others: passed
"""

def dbndiff2(dbnvar, bndiff2, n):
    return dbnvar.expand_as(bndiff2) / n
