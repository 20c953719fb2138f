"""A loop that never ends."""
# group: time
# rows: timeout
# message: did not return within
# unlocked: safe


def dlogits(logits):
    while True:
        pass
