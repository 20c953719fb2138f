"""A class with a backward of its own stands in front of torch's. Stopped by: tripwire."""


class Layer:
    def backward(self, upstream):
        return upstream


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    probs.log().backward(Layer().backward(dlogprobs))  # here
    return probs.grad
