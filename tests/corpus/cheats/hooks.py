"""The gradient caught by a hook. Stopped by: tripwire."""


def dprobs(dlogprobs, probs):
    caught = []
    probs.requires_grad_(True)
    probs.register_hook(caught.append)
    (probs.log() * dlogprobs).sum().backward()  # here
    return caught[0]
