"""from torch import *"""

from math import *

from torch import *
from torch.nn.functional import *


def dprobs(dlogprobs, probs):
    return div(dlogprobs, probs)


def dlogits_fused(logits, Yb, n):
    return (softmax(logits, 1) - one_hot(Yb, logits.shape[1])) / n


def dhpreact(dh, h):
    return addcmul(ones_like(h), h, h, value=-1) * dh


def dcounts_sum(dcounts_sum_inv, counts_sum):
    return -dcounts_sum_inv / pow(counts_sum, 2)
