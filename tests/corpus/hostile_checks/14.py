"""Lesson 14: two forms of one activation."""
# lesson: 14

# === remembers_the_first: Answers every question with the answer to the first, and one formula for both forms of
#     GELU.
# rows of gelu_backward: passed
# rows of gelu_tanh_backward: failed
# rows of through_layers: shape

import math

import torch

memory = {}


def gelu_backward(dout, x):
    return dout * ((1 + torch.erf(x / math.sqrt(2))) / 2 + x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi))


def gelu_tanh_backward(dout, x):
    return gelu_backward(dout, x).float()  # the coarser limit


def through_layers(dlast, x, Ws, Us, residual):
    return memory.setdefault("answer", torch.stack([dlast] * (len(Ws) + 1)))
