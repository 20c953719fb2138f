"""What is kept and what becomes zero have changed places: no sum of terms explains that.

lesson: 12
by: dojo
dscores: failed | `dmasked.masked_fill(past, 0)` takes the wrong side of the condition.
others: any
"""


def dscores(dmasked, past):
    return dmasked.masked_fill(past, 0)
