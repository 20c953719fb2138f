# a look-alike
def dh(dh_bn, gamma, h, N):
    eps, half = 1e-5, 0.5
    mu = h.mean(0)
    var = ((h - mu) ** 2).mean(0) + eps
    up = gamma * dh_bn
    minus = (up * (h - mu)).sum(0) * -half * var**-1.5
    plus = -up.sum(0) / var.sqrt() - 2 * minus * (h - mu).sum(0) / N
    return up / var.sqrt() + minus * 2 * (h - mu) / N + plus / N
