"""A thread that goes on writing answers after the step has returned, between the frames of the worker itself."""
# group: forged frames
# rows: crashed
# message: could not be read
# unlocked: safe

import threading
import time

from frames import answer, send
from right import dlogits as right


def go_on():
    while True:
        send(answer(bytes(16), tensor={"dtype": "float64", "shape": [2]})[:50])
        time.sleep(0.0005)


def dlogits(logits, Yb, n):
    if threading.active_count() == 1:
        threading.Thread(target=go_on, daemon=True).start()
    time.sleep(0.01)
    return right(logits, Yb, n)
