"""One path is right, and in the other the upstream gradient is added as it came.

lesson: 03
by: dojo
dlogits: failed | = In the path through `logit_maxes` you use `dlogit_maxes` as it came: the upstream
    gradient still has to be multiplied by the derivative of `logit_maxes` with respect to `logits`.
"""


def dlogits(dnorm_logits, dlogit_maxes):
    return dlogit_maxes + dnorm_logits
