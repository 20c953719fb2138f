"""A softmax of a softmax.

lesson: 04
by: dojo
dlogits: failed | = You write `F.softmax(probs, 1)`. With `probs` itself in that place, your `dlogits` is right: the
    `softmax` is one too many. At which value is the derivative of the forward line taken?
in_one_go: failed | = Extreme logits are tested once `dlogits` is right on ordinary ones. Its public example:
    exercises/04_cross_entropy/examples.py:11
others: passed
"""

def dlogits(probs, Yb, n):
    p = F.softmax(probs, 1)
    return (p - F.one_hot(Yb, probs.shape[1])) / n
