"""A sum over a million million numbers, in one call."""
# group: time
# rows: timeout
# unlocked: safe


def dlogits(logits):
    return sum(range(10**12))
