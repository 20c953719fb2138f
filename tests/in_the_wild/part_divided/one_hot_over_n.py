"""Only the one-hot part is divided by the batch size.

lesson: 04
by: dojo
dlogits: failed | = In `probs - y / n`, the division by `n` applies to `y` only, because it comes before `+` and
    `-`. Should it apply to both terms? With brackets around them, your `dlogits` is right.
in_one_go: failed | = Extreme logits are tested once `dlogits` is right on ordinary ones. Its public example:
    exercises/04_cross_entropy/examples.py:11
others: passed
"""

def dlogits(probs, Yb, n):
    y = F.one_hot(Yb, probs.shape[1])
    return probs - y / n
