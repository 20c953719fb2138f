"""A loop of small operators without end, each of which is quick."""
# group: time
# rows: timeout
# unlocked: safe


def dlogits(logits):
    gradient = logits
    while True:
        gradient = gradient + 1
