"""Writes half of a frame and ends."""
# group: forged frames
# rows: crashed
# message: ended by itself
# unlocked: safe

from attempt import the
from frames import answer, send


def dlogits(logits):
    whole = answer(bytes(80), tensor={"dtype": "float64", "shape": [10]})
    send(whole[: len(whole) - 41])
    the("os", "_exit")(0)
