"""Forward mode: torch.func.jvp of an elementwise function, and linearize. Stopped by: tripwire."""

import torch


def dprobs(dlogprobs, probs):
    return torch.func.jvp(torch.log, (probs,), (dlogprobs,))[1]  # here


def dhpreact(dh, hpreact):
    _, push = torch.func.linearize(torch.tanh, hpreact)  # here
    return push(dh)
