"""Sixty megabytes for every answer, well-formed, in the worker's place: the grader keeps answers for its verdict.

On a busy machine the half second of the range is over before enough of them have come: that stops it as well."""
# group: memory
# rows: crashed, timeout
# message: too large | did not return within
# unlocked: safe

from frames import instead_of_answers

BODY = bytes(60_000_000)
instead_of_answers(lambda *_: ({"tensor": {"dtype": "float64", "shape": [7_500_000]}}, BODY))


def dlogits(logits):
    return logits
