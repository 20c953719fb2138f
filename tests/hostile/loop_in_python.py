"""A loop that never ends."""
# group: time
# rows: timeout
# told: did not return within
# unlocked: safe


def dlogits(logits):
    while True:
        pass
