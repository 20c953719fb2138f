"""Two slashes divide and round down.

lesson: 04
dlogits: failed | = In `(probs - y) * 2 // (2 * n)`, `//` rounds down to whole numbers. With `/`, your `dlogits` is right.
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    y = F.one_hot(Yb, probs.shape[1])
    return (probs - y) * 2 // (2 * n)
