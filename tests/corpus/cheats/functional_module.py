"""torch.autograd.functional. Stopped by: tripwire."""

import torch.autograd.functional as F


def dprobs(dlogprobs, probs):
    return F.vjp(lambda x: x.log(), probs, dlogprobs)[1]  # here


def dhpreact(dh, hpreact):
    return F.jvp(lambda x: x.tanh(), hpreact, dh)[1]  # here
