"""Decorated with torch.compile and torch.jit.script for speed; they run uncompiled and give the same."""

import torch


@torch.jit.script
def scaled(x, y):
    return x * y


@torch.compile
def divided(x, y):
    return x / y


@torch.compile(dynamic=True)
def dprobs(dlogprobs, probs):
    return divided(dlogprobs, probs)


def dcounts_sum_inv(dprobs, counts):
    return scaled(dprobs, counts).sum(1, keepdim=True)


dh = torch.compile(lambda dlogits, W2: dlogits @ W2.T)
