"""Numbers at the edges of what a double holds: their squares overflow, their differences vanish."""
# group: forged frames
# rows: failed
# unlocked: safe

import struct

from frames import instead_of_answers

EDGES = [1.7e308, -1.7e308, 5e-324, -0.0, 2.0**1023]


def edges(step, answer):
    count = answer.tensor.numel()
    body = b"".join(struct.pack("<d", EDGES[i % len(EDGES)]) for i in range(count))
    return {"tensor": {"dtype": "float64", "shape": list(answer.tensor.shape)}}, body


instead_of_answers(edges)


def dlogits(logits):
    return logits
