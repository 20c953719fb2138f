"""Only the path through the variance, and a sigmoid where the softmax belongs.

lesson: 02
dh: failed | = In your `dh`, the part that comes directly, not by way of `h_var` or `h_mean` is missing, and the part
    that comes by way of `h_mean` is missing. The rest is right.
dlogits: failed | `logits.sigmoid()` calls a function. With another function in its place, your `dlogits` is right:
    which one?
others: passed
"""

def dh(dh_norm, h_norm, h_var):
    return -h_norm * (dh_norm * h_norm).mean(0) / (h_var + 1e-5).sqrt()


def dlogits(logits, Y, N):
    return (logits.sigmoid() - F.one_hot(Y, logits.shape[1])) / N
