from helper import broken


def dlogits(logits):
    return broken(logits)
