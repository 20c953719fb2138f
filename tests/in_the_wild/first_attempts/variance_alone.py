"""Only the path through the variance, and a sigmoid where the softmax belongs.

lesson: 02
dh: failed | = The value is wrong: the error is 1.5 of the gradient's size. Worst element [0, 2]: found -4.3300597,
    expected 0.52479605.
dlogits: failed | = The value is wrong: the error is 1 of the gradient's size. Worst element [4, 1]: found
    -0.0229178371, expected -0.16055505.
others: passed
"""

def dh(dh_norm, h_norm, h_var):
    return -h_norm * (dh_norm * h_norm).mean(0) / (h_var + 1e-5).sqrt()


def dlogits(logits, Y, N):
    return (logits.sigmoid() - F.one_hot(Y, logits.shape[1])) / N
