"""One path is right, and in the other the upstream gradient is added as it came.

lesson: 03
by: dojo
dlogits: failed | = In the path through `logit_maxes` you use `dlogit_maxes` as it came. It still has to be multiplied by the derivative of `logit_maxes` with respect to `logits`: which elements of `logits` does `logit_maxes` depend on?
"""


def dlogits(dnorm_logits, dlogit_maxes):
    return dlogit_maxes + dnorm_logits
