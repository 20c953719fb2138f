"""What is kept and what becomes zero have changed places: no sum of terms explains that.

lesson: 12
by: dojo
dscores: failed | = Your `dscores` is zero wherever the gradient is not, and not zero wherever the gradient is. Is a mask
    the wrong way round?
others: any
"""


def dscores(dmasked, past):
    return dmasked.masked_fill(past, 0)
