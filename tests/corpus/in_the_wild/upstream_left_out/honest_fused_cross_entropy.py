"""Softmax minus one-hot, over n: nothing is left out, the whole cross-entropy is one step.

lesson: 03
dlogits: passed | = Right, but it skips a step: it is computed from gradients further up than the next one.
"""


def dlogits(logits, Yb, n):
    return (F.softmax(logits, 1) - F.one_hot(Yb, logits.shape[1])) / n
