"""A header with NaN and Infinity, in a frame that answers nothing."""
# group: forged frames
# rows: crashed
# message: an answer to something else
# unlocked: safe

from frames import frame, send


def dlogits(logits):
    send(frame(b'{"op": "answer", "ticket": NaN, "step": "dlogits", "operators": -Infinity}'))
    return logits
