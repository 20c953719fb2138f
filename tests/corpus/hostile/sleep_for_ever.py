"""Sleeps, and uses no processor time."""
# group: time
# rows: timeout
# unlocked: safe

import time


def dlogits(logits):
    time.sleep(100_000)
