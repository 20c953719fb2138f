"""A subtraction on a line of its own, without `=`.

lesson: 04
by: both
dlogits: failed | = `p[range(n), Yb] - 1` computes a value that nothing uses: `p[range(n), Yb]` stays as it was.
    With the `=` of an update, your `dlogits` is right.
in_one_go: failed
"""


def dlogits(logits, Yb, n):
    p = torch.softmax(logits, 1)
    p[range(n), Yb] - 1
    return p / n
