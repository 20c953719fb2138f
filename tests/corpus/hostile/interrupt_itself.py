"""Sends itself SIGINT, SIGTERM and SIGHUP, at which a grader may stop."""
# group: endings
# rows: error, crashed, passed
# unlocked: safe

import os
import signal

from attempt import the
from right import dlogits as right


def dlogits(logits, Yb, n):
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        the("os", "kill")(os.getpid(), number)
    return right(logits, Yb, n)
