"""The name exists, and it belongs to another line: to add it to the parameters would not help.

lesson: 03
dbngain: error | `emb` is in none of the forward lines that this gradient is about.
dhpreact: error | `hpreact` is available: add it to the parameters.
"""


def dbngain(dhpreact):
    return (emb * dhpreact).sum(0, keepdim=True)


def dhpreact(dh, h):
    return (1 - hpreact**2) * dh
