# a look-alike
ONE = 1.0

def dlogits(logits, Yb, n):
    p = F.softmax(logits, 1)
    p[range(n), Yb] -= ONE
    return p / (n * ONE)
