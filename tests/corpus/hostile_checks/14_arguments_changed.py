"""Right results, computed in the memory of the arguments."""
# group: hostile return values
# lesson: 14
# rows: missing
# rows of gelu_backward: failed
# rows of dropout_backward: failed

import math

import torch


def gelu_backward(dout, x):
    gate = (1 + torch.erf(x / math.sqrt(2))) / 2
    return dout.mul_(gate + x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi))


def dropout_backward(dout, keep, p):
    return dout.mul_(keep).div_(1 - p)
