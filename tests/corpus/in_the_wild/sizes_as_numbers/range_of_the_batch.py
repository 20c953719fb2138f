"""The batch size as a number in `range`.

lesson: 04
by: dojo
dlogits: error | = Your `dlogits` is right at the sizes in README.md and wrong at others (batch 7, vocabulary 5). Line
    26 uses the number 32, which is `n` there: `range(32)`. Take it from what you are given.
in_one_go: error | = Extreme logits are tested once `dlogits` is right on ordinary ones. Its public example:
    exercises/04_cross_entropy/examples.py:11
"""

def dlogits(logits, Yb):
    d = F.softmax(logits, 1)
    d[range(32), Yb] -= 1
    return d / 32
