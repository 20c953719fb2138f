"""torch.autograd.grad. Stopped by: tripwire."""

import torch


def dprobs(dlogprobs, probs):
    probs.requires_grad = True
    return torch.autograd.grad(probs.log(), probs, dlogprobs)[0]  # here
