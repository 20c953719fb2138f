"""Keeps an answer and sends it again when something else is asked, as a recording would."""
# group: forged frames
# rows: crashed
# told: something else than what was asked
# unlocked: safe

from frames import answer, send

asked = 0


def dlogits(logits):
    global asked
    asked += 1
    if asked > 1:
        send(answer(bytes(8), ticket=0, tensor={"dtype": "float64", "shape": []}))
    return logits.softmax(1)
