"""An index that picks rows only.

lesson: 04
by: both
dlogits: error | `p[Yb]` picks whole rows or columns, one for each entry of the index. Indexed by rows and columns together,
    so that each row is paired with its own entry, your `dlogits` is right.
in_one_go: error
"""


def dlogits(logits, Yb, n):
    p = torch.softmax(logits, 1)
    p[Yb] -= 1
    return p / n
