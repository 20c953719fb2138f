"""What is kept and what becomes zero have changed places: no sum of terms explains that.

lesson: 12
by: dojo
dscores: failed | The gradient of `scores` is zero in 112 of 256 elements of one problem
others: any
"""


def dscores(dmasked, past):
    return dmasked.masked_fill(past, 0)
