"""torch.Tensor.backward as a function. Stopped by: tripwire."""

import torch


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    torch.Tensor.backward(probs.log(), dlogprobs)  # here
    return probs.grad
