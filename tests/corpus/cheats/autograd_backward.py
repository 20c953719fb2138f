"""torch.autograd.backward under another name of the module. Stopped by: tripwire."""

import torch.autograd as ag


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    ag.backward([probs.log()], [dlogprobs])  # here
    return probs.grad
