"""Calls abort, as a failed assertion in C does."""
# group: endings
# rows: crashed
# message: ended by SIG
# unlocked: safe

from attempt import the


def dlogits(logits):
    the("os", "abort")()
