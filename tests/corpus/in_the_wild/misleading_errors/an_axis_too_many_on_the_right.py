"""What is assigned at the places of indices has an axis of length one too many; nothing is added.

lesson: 03
dlogits: error | The indices on the left select a tensor of shape [6], and the value on the right has the shape [6, 1].
"""


def dlogits(dnorm_logits, dlogit_maxes, logits, n):
    out = dnorm_logits.clone()
    out[torch.arange(n), logits.argmax(1)] = dlogit_maxes
    return out
