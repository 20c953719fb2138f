"""from torch.autograd import *. Stopped by: tripwire."""

from torch.autograd import *


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    return grad(probs.log(), probs, dlogprobs)[0]  # here
