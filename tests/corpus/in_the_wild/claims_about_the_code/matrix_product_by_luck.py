"""A matrix product with a mask would be right by chance, and nobody would mean it.

lesson: 03
dlogit_maxes: failed | Suppose that `dnorm_logits` is zero except for a 1 in
"""


def dlogit_maxes(dnorm_logits, logit_maxes, n, logits):
    mask = torch.ones_like(logits)
    mask[torch.argmax(logit_maxes)] = 0.0
    return (dnorm_logits * (mask - 1.0)).sum(1, keepdim=True)
