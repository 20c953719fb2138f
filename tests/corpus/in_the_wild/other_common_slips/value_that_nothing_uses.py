"""A subtraction on a line of its own, without `=`.

lesson: 04
by: both
dlogits: failed | = `p[range(n), Yb] - 1` computes a value that nothing uses: `p` stays as it was. If it changes
    in place, your `dlogits` is right.
in_one_go: failed
"""


def dlogits(logits, Yb, n):
    p = torch.softmax(logits, 1)
    p[range(n), Yb] - 1
    return p / n
