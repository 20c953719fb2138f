"""Only the path through the mean is divided in the wrong place.

lesson: 03
by: dojo
dhprebn: failed | = In `(dbndiff + dbnmeani) / n`, what stands before or after the brackets applies to both terms in them.
    Applied to only one of the two, your `dhprebn` is right.
"""

def dhprebn(dbndiff, dbnmeani, n):
    return (dbndiff + dbnmeani) / n
