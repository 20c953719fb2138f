"""One column for the sum of all.

lesson: 03
by: both
dlogit_maxes: failed | = `dnorm_logits[:, 0:1]` takes one part of `dnorm_logits` along an axis, and every copy
    counts. With the sum over that axis in its place, your `dlogit_maxes` is right.
"""


def dlogit_maxes(dnorm_logits):
    return -dnorm_logits[:, 0:1]
