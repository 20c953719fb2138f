"""A header with a number of half a million digits, whose reading takes minutes where it is not refused."""
# group: forged frames
# rows: crashed
# message: no JSON
# unlocked: safe

from frames import frame, send


def dlogits(logits):
    send(frame(b'{"op": "answer", "step": "dlogits", "ticket": ' + b"9" * 500_000 + b"}"))
    return logits
