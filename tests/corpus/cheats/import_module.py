"""importlib.import_module. Stopped by: tripwire."""

import importlib


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    return importlib.import_module("torch.autograd").grad(probs.log(), probs, dlogprobs)[0]  # here
