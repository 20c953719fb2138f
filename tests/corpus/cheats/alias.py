"""The function under a module-level name. Stopped by: tripwire."""

import torch

pull = torch.autograd.grad


def dprobs(dlogprobs, probs):
    again = pull
    probs.requires_grad_(True)
    return again(probs.log(), probs, dlogprobs)[0]  # here
