"""An empty tensor of impossible sizes: no bytes to miss, and strides that overflow in the judge's torch."""
# group: forged frames
# rows: crashed
# message: impossible shape
# unlocked: safe

from frames import answer, send


def dlogits(logits):
    send(answer(tensor={"dtype": "float64", "shape": [1 << 26, 1 << 26, 1 << 26, 0]}))
    return logits
