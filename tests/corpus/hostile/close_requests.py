"""Closes the pipe on which it is asked, after a right answer."""
# group: descriptors
# rows: crashed
# unlocked: safe

import os

from right import dlogits as right


def dlogits(logits, Yb, n):
    answer = right(logits, Yb, n)
    try:
        os.close(3)
    except OSError:
        pass
    return answer
