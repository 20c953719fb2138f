"""torch.func.grad, which gives zeros in silence. Stopped by: tripwire."""

import torch


def dprobs(dlogprobs, probs):
    return torch.func.grad(lambda x: (x.log() * dlogprobs).sum())(probs)  # here


def dhpreact(dh, hpreact):
    gradient, _ = torch.func.grad_and_value(lambda x: (x.tanh() * dh).sum())(hpreact)  # here
    return gradient
