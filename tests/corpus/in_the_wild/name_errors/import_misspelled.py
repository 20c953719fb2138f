"""The import is misspelled, and no line at the top is missing.

lesson: 03
alone: yes
db2: error | The file imports `troch`, and no `torch`. Do you mean `import torch`?
others: any
"""


import troch


def db2(dlogits):
    return torch.sum(dlogits, 0)
