"""A bare except around it, the gradient fetched afterwards. Stopped by: tripwire, error."""


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    try:
        probs.log().backward(dlogprobs)  # here
    except:
        print("nothing happened")
    return probs.grad.clone()
