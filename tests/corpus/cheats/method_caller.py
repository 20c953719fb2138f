"""operator.methodcaller and attrgetter. Stopped by: tripwire."""

import operator

import torch


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)
    operator.methodcaller("backward", dlogprobs)(probs.log())  # here
    return probs.grad


def dhpreact(dh, hpreact):
    hpreact.requires_grad_(True)
    return operator.attrgetter("autograd.grad")(torch)(hpreact.tanh(), hpreact, dh)[0]  # here
