"""Announces a header of four gigabytes."""
# group: forged frames
# rows: crashed
# message: too large
# unlocked: safe

import struct

from frames import send


def dlogits(logits):
    send(struct.pack("<4sIQ", b"BPN1", (1 << 32) - 1, 0) + b"{" * 1000)
    return logits
