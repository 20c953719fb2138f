"""The square is around the difference.

lesson: 01
by: dojo
dz: failed | = In `(1 - a) ** 2`, what follows the brackets applies to both terms in them. Applied to only one
    of the two, your `dz` is right.
others: passed
"""

def dz(da, a):
    return (1 - a) ** 2 * da
