"""A header with NaN and Infinity, which Python's JSON reads and nobody else's."""
# group: forged frames
# rows: crashed
# message: no JSON
# unlocked: safe

from frames import frame, send


def dlogits(logits):
    send(frame(b'{"op": "answer", "ticket": NaN, "step": "dlogits", "operators": -Infinity}'))
    return logits
