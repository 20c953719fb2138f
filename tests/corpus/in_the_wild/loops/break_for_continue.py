"""A break is to skip the rest of one round, and ends the loop.

lesson: 04
dlogits: failed | = `break` ends the whole loop: rounds that your `dlogits` needs are left out. With the loop
    going on, your `dlogits` is right.
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    d = torch.zeros_like(probs)
    for i in range(n):
        for j in range(probs.shape[1]):
            if j == Yb[i]:
                d[i, j] = probs[i, j] - 1
                break
            d[i, j] = probs[i, j]
    return d / n
