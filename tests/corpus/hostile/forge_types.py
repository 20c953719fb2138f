"""Right fields with wrong types: a list for a number, a number for a text, an object for a shape."""
# group: forged frames
# rows: crashed
# message: could not be read
# unlocked: safe

from frames import answer, send


def dlogits(logits):
    send(answer(bytes(8), tensor={"dtype": ["float64"], "shape": {"0": 1}}, line="3", operators=[], changed={"a": 1}))
    return logits
