"""__import__ within an expression. Stopped by: tripwire."""


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    return __import__("torch").autograd.grad(probs.log(), probs, dlogprobs)[0]  # here
