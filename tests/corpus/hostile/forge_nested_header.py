"""A header of half a million opening brackets, for a parser that calls itself."""
# group: forged frames
# rows: crashed
# message: no JSON
# unlocked: safe

from frames import frame, send


def dlogits(logits):
    send(frame(b'{"op":' + b"[" * 500_000))
    return logits
