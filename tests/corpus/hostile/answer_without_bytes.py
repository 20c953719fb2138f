"""Returns a tensor on the meta device: it has a shape and no numbers."""
# group: lying answers
# rows: shape, crashed
# unlocked: safe


def dlogits(logits):
    return logits.to("meta")
