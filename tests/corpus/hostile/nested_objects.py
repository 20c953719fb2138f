"""Compares and frees lists nested a hundred thousand deep."""
# group: endings
# rows: error, crashed
# unlocked: safe


def nested():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return deep


def dlogits(logits):
    return nested() == nested()
