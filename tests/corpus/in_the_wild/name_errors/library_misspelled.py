"""The import is misspelled, and the steps use what it gives.

lesson: 03
db2: error | Do you mean `torch`?
dW2: passed
others: passed
"""

import troch


def db2(dlogits):
    return troch.sum(dlogits, 0)
