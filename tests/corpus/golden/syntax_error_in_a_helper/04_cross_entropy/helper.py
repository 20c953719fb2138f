



















def shifted(logits, Yb, n)
    return logits
