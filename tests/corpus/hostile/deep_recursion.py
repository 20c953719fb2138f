"""A function that calls itself for ever."""
# group: endings
# rows: error
# message: RecursionError
# unlocked: safe


def dlogits(logits):
    return dlogits(logits)
