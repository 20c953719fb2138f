"""The examples are counted from 1.

lesson: 04
dlogits: failed | = The value is wrong: the error is 0.44 of the gradient's size. Worst element [0, 4]: found
    0.00653218079, expected -0.193467819. Only 1 of 5 rows are wrong: 0.
in_one_go: failed
"""

def dlogits(probs, Yb, n):
    d = probs.clone()
    for i in range(1, n):
        d[i, Yb[i]] -= 1
    return d / n
