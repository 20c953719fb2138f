"""loss.backward() on a leaf. Stopped by: tripwire."""


def dprobs(dlogprobs, probs):
    probs = probs.clone().requires_grad_()
    probs.log().backward(dlogprobs)  # here
    return probs.grad
