"""Announces a tensor of 2^60 bytes, and begins to send it."""
# group: forged frames
# rows: crashed
# message: too large
# unlocked: safe

import struct

from frames import send


def dlogits(logits):
    send(struct.pack("<4sIQ", b"BPN1", 2, 1 << 60) + b"{}" + bytes(60_000))
    return logits
