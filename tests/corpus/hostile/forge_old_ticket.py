"""Keeps an answer and sends it again when something else is asked, as a recording would."""
# group: forged frames
# rows: crashed
# message: something else than what was asked
# unlocked: safe

from frames import answer, send

kept = None


def dlogits(logits):
    global kept
    if kept is None:
        kept = answer(bytes(8), tensor={"dtype": "float64", "shape": []})
    else:
        send(kept)
    return logits.softmax(1)
