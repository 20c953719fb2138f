"""Stops itself, and is neither running nor ended."""
# group: endings
# rows: timeout, passed
# unlocked: safe

import os
import signal

from attempt import the
from right import dlogits as right


def dlogits(logits, Yb, n):
    the("os", "kill")(os.getpid(), signal.SIGSTOP)
    return right(logits, Yb, n)
