"""Only the path through the mean is divided in the wrong place.

lesson: 03
by: dojo
dhprebn: failed | = In `(dbndiff + dbnmeani) / n`, the division applies to both terms. Applied to only one of the two
    terms, your `dhprebn` is right: to which one?
others: passed
"""

def dhprebn(dbndiff, dbnmeani, n):
    return (dbndiff + dbnmeani) / n
