"""Claims an outcome of the grader's own for every answer: skipped, with a message as long as allowed."""
# group: forged frames
# rows: error
# unlocked: safe

from frames import instead_of_answers

instead_of_answers(lambda *_: ({"outcome": "skipped", "message": "x" * 1_000_000, "line": (1 << 31) - 1}, b""))


def dlogits(logits):
    return logits
