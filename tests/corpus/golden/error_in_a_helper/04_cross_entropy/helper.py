



















def broken(logits):
    return logits[99]
