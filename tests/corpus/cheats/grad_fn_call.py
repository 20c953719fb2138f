"""Walking the graph by hand through grad_fn. Stopped by: error."""


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    return probs.log().grad_fn(dlogprobs)
