"""The softmax with the probabilities as a factor twice; a mask of the same shape is among the values.

lesson: 12
by: both
dz: failed | = In `p * p`, `p` is one too many. Without it, your `dz` is right. What is the local derivative of
    the forward line?
"""


def dz(dp, p):
    return p * p * (dp - (dp * p).sum(2, keepdim=True))
