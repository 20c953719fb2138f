"""from torch.autograd import grad as g. Stopped by: tripwire."""

from torch.autograd import grad as g


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    return g(probs.log(), probs, dlogprobs)[0]  # here
