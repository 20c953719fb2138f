"""Two slashes divide and round down.

lesson: 04
dlogits: failed | = In `d //= n`, `//` rounds down to whole numbers. With `/`, your `dlogits` is right.
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    y = F.one_hot(Yb, probs.shape[1])
    d = probs - y
    d //= n
    return d
