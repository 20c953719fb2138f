"""Prints, at its end, the stack that a worker writes when a function hangs, at lines that no number can hold."""
# group: forged frames
# rows: passed
# unlocked: safe

import os

from right import dlogits as right

LINES = ("1" * 5_000, "9" * 4_400, "0" * 4_301, "-1", "1e9", "\u0661", "99999999999999999999")


def dlogits(logits, Yb, n):
    for line in LINES:
        for name in ("forge_hang_lines.py", "backward.py"):
            os.write(2, f'Stack (most recent call first):\n  File "{name}", line {line} in f\n'.encode())
    return right(logits, Yb, n)
