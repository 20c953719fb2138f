"""The square is around the difference.

lesson: 01
by: dojo
dz: failed | = In `(1 - a) ** 2`, the power applies to both terms. Applied to only one of the two terms, your `dz` is
    right: to which one?
others: passed
"""

def dz(da, a):
    return (1 - a) ** 2 * da
