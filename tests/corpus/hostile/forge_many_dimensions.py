"""Forges a tensor of 64 dimensions, more than a reply may have, and more than most of torch's functions take."""
# group: forged frames
# rows: crashed
# unlocked: safe

from frames import instead_of_answers

instead_of_answers(lambda *_: ({"tensor": {"dtype": "float64", "shape": [1] * 64}}, b"\1" * 8))


def dlogits(logits):
    return logits
