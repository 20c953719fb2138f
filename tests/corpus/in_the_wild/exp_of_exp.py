# === softmax_of_probabilities: A softmax of a softmax.
# lesson: 04
# by: dojo
# dlogits: failed | = You write `F.softmax(probs, 1)` where `probs` belongs. With that, your `dlogits` is right.
# in_one_go: failed | = Extreme logits are tested once `dlogits` is right on ordinary ones. Its public example:
#     exercises/04_cross_entropy/examples.py:11

def dlogits(probs, Yb, n):
    p = F.softmax(probs, 1)
    return (p - F.one_hot(Yb, probs.shape[1])) / n
