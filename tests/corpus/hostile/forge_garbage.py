"""Writes ten megabytes of nothing in particular where answers are awaited."""
# group: forged frames
# rows: crashed
# message: does not begin as a frame does
# unlocked: safe

import os

from frames import send


def dlogits(logits):
    send(os.urandom(10 << 20))
    return logits
