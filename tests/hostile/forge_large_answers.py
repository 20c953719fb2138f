"""Sixty megabytes for every answer, well-formed, in the worker's place: the grader keeps answers for its verdict."""
# group: memory
# rows: crashed
# message: too large
# unlocked: safe

from frames import instead_of_answers

BODY = bytes(60_000_000)
instead_of_answers(lambda *_: ({"tensor": {"dtype": "float64", "shape": [7_500_000]}}, BODY))


def dlogits(logits):
    return logits
