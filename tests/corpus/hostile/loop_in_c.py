"""A power with a billion digits: no line of Python runs for hours."""
# group: time
# rows: timeout
# unlocked: safe


def dlogits(logits):
    return (10 ** (10**7)) ** 1000
