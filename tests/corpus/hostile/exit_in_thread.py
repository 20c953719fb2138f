"""A thread ends the process between two answers."""
# group: endings
# rows: crashed
# unlocked: safe

import threading
import time

from attempt import the
from right import dlogits as right


def soon():
    time.sleep(0.05)
    the("os", "_exit")(0)


def dlogits(logits, Yb, n):
    threading.Thread(target=soon, daemon=True).start()
    time.sleep(0.1)
    return right(logits, Yb, n)
