"""Through vars() and sys.modules. Stopped by: tripwire."""

import sys

import torch


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    return vars(torch)["autograd"].grad(probs.log(), probs, dlogprobs)[0]  # here


def dhpreact(dh, hpreact):
    hpreact.requires_grad_(True)
    return sys.modules["torch.autograd"].__dict__["grad"](hpreact.tanh(), hpreact, dh)[0]  # here
