"""getattr with a name that only running it tells. Stopped by: tripwire."""


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    getattr(probs.log(), "drawkcab"[::-1])(dlogprobs)  # here
    return probs.grad
