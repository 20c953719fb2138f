"""Sets timers of every kind whose signals it does not handle."""
# group: endings
# rows: crashed, passed
# unlocked: safe

import signal
import time

from right import dlogits as right

signal.setitimer(signal.ITIMER_REAL, 0.05, 0.01)
signal.setitimer(signal.ITIMER_VIRTUAL, 0.05, 0.01)
signal.setitimer(signal.ITIMER_PROF, 0.05, 0.01)


def dlogits(logits, Yb, n):
    time.sleep(0.1)
    return right(logits, Yb, n)
