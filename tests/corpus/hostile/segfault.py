"""Reads from address zero."""
# group: endings
# rows: crashed
# message: SIGSEGV
# unlocked: safe

from attempt import the


def dlogits(logits):
    return the("ctypes", "string_at")(0)
