"""Answers for a step that was not asked for, with a name as long as a book."""
# group: forged frames
# rows: crashed
# message: something else than what was asked
# unlocked: safe

from frames import answer, send


def dlogits(logits):
    send(answer(step="../" * 3000 + "in_one_go"))
    return logits
