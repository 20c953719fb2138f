"""Lets torch.optim take the step of gradient descent."""
# lesson: 07
# rows of update: forbidden

import torch


def update(parameters, grads, lr):
    values = list(parameters.values()) if isinstance(parameters, dict) else list(parameters)
    slopes = list(grads.values()) if isinstance(grads, dict) else list(grads)
    for value, slope in zip(values, slopes, strict=True):
        value.grad = slope
    torch.optim.SGD(values, lr=lr).step()
