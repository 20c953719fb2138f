"""Only the path through the variance, and a sigmoid where the softmax belongs.

lesson: 02
dh: failed | = In your `dh`, the part that comes directly, not by way of `h_var` or `h_mean` is missing, and the part
    that comes by way of `h_mean` is missing. The rest is right.
dlogits: failed | = `logits.sigmoid()` does not call the function that belongs there. With another one, your
    `dlogits` is right. Which function does the forward line apply, and what is its derivative?
others: passed
"""

def dh(dh_norm, h_norm, h_var):
    return -h_norm * (dh_norm * h_norm).mean(0) / (h_var + 1e-5).sqrt()


def dlogits(logits, Y, N):
    return (logits.sigmoid() - F.one_hot(Y, logits.shape[1])) / N
