"""What is kept and what becomes zero have changed places: no sum of terms explains that.

lesson: 12
by: dojo
dscores: failed | = Suppose that `dmasked` is zero except for a 1 in [2, 4, 4]. Then `dscores` is not zero in [2, 4, 4],
    because `masked[2, 4, 4]` is computed from that element; yours is all zero.
others: any
"""


def dscores(dmasked, past):
    return dmasked.masked_fill(past, 0)
