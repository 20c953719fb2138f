"""An index that picks rows only.

lesson: 04
by: both
dlogits: error | IndexError: index 5 is out of bounds for dimension 0 with size
in_one_go: error
"""


def dlogits(logits, Yb, n):
    p = torch.softmax(logits, 1)
    p[Yb] -= 1
    return p / n
