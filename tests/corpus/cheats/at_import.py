"""A Jacobian taken while the file is imported. Stopped by: tripwire."""

import torch

slope = torch.autograd.functional.jacobian(lambda x: -x, torch.zeros(1, dtype=torch.float64))  # here


def dnorm_logits_to_dlogit_maxes(dnorm_logits):
    return dnorm_logits.sum(1, keepdim=True)


def dlogit_maxes(dnorm_logits):
    return slope.item() * dnorm_logits_to_dlogit_maxes(dnorm_logits)
