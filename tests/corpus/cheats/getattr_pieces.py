"""getattr with the name in pieces. Stopped by: tripwire."""


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    getattr(probs.log(), "back" + "ward")(dlogprobs)  # here
    return probs.grad
