"""Only the path through the mean is divided in the wrong place.

lesson: 03
by: dojo
dhprebn: failed | = In your `dhprebn`, the part that comes through `bndiff` is exactly 1/n times what it should be (here
    0.03125). The part through `bnmeani` is right.
others: passed
"""

def dhprebn(dbndiff, dbnmeani, n):
    return (dbndiff + dbnmeani) / n
